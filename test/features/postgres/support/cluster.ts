import { join } from "node:path";
import { Home } from "./home.ts";
import { newestBin } from "./installations.ts";
import { Server } from "./server.ts";

/** Settings of PostgreSQL by name, as in postgresql.conf. */
export type Settings = Readonly<Record<string, string>>;

/** Settings for tests that need no durability: the server does not wait for the disk. */
export const QUICK: Settings = { fsync: "off", synchronous_commit: "off", full_page_writes: "off" };

/** The options of a cluster. */
export interface ClusterOptions {
	/** Settings that override the usual ones; see {@link QUICK}. */
	readonly settings?: Settings;
	/** The password of the superuser `resort` over TCP (SCRAM-SHA-256); none by default. */
	readonly password?: string;
}

/** Starts a new, empty cluster, which is stopped and deleted even if this program is killed. */
export async function startCluster(options: ClusterOptions = {}): Promise<Server> {
	return startIn(await Home.open(), options);
}

/** Like {@link startCluster}, but in an existing {@link Home}, which is deleted if the start fails. */
export async function startIn(home: Home, options: ClusterOptions): Promise<Server> {
	try {
		const server = new Server(home, "primary", options.password);
		await initialise(home, options);
		await server.start();
		return server;
	} catch (error) {
		await home[Symbol.asyncDispose]();
		throw error;
	}
}

/** Creates the data folder of a server: the folder `primary` in a {@link Home}. */
export async function initialise(
	home: Home,
	{ settings = {}, password = "" }: ClusterOptions = {},
): Promise<void> {
	await home.run("cp", "-aT", await newData(password), join(home.folder, "primary"));
	await writeSettings(home, "primary", settings);
}

/** Data folders of new servers, by password. Copying such a folder is faster than `initdb`. */
const made = new Map<string, Promise<string>>();

/** Returns the data folder of a server that was never started. It is deleted when this program ends. */
function newData(password: string): Promise<string> {
	const found = made.get(password) ?? makeData(password);
	made.set(password, found);
	return found;
}

async function makeData(password: string): Promise<string> {
	const home = await Home.open();
	home.unref();
	const secret = home.path("password");
	if (password !== "") await Bun.write(secret, password);
	const data = join(home.folder, "data");
	await home.run(
		join(newestBin(), "initdb"),
		"-D",
		data,
		"-U",
		"resort",
		..."--encoding=UTF8 --no-locale --no-sync --auth-local=trust".split(" "),
		...(password === "" ? ["--auth-host=trust"] : ["--auth-host=scram-sha-256", `--pwfile=${secret}`]),
	);
	return data;
}

/** Replaces the whole postgresql.conf of a server. */
export async function writeSettings(home: Home, name: string, settings: Settings): Promise<void> {
	const all: Settings = {
		listen_addresses: "127.0.0.1",
		unix_socket_directories: home.folder,
		max_connections: "200",
		timezone: "UTC",
		log_timezone: "UTC",
		// A file in the data folder, because a killed server would leave POSIX shared memory behind.
		dynamic_shared_memory_type: "mmap",
		...settings,
	};
	const lines = Object.entries(all).map(([key, value]) => `${key} = '${value.replaceAll("'", "''")}'\n`);
	await Bun.write(home.path(`${name}/postgresql.conf`), lines.join(""));
}
