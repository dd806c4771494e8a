import { join } from "node:path";
import { SQL } from "bun";
import { until } from "../../../support/until.ts";
import { initialise, writeSettings } from "./cluster.ts";
import { Home } from "./home.ts";
import { Server } from "./server.ts";

/** Starts a primary and a synchronous standby. A commit is acknowledged once both have it on disk. */
export async function startPair() {
	const home = await Home.open();
	try {
		const primary = new Server(home, "primary");
		const standby = new Server(home, "standby");
		await initialise(home);
		// A copy of the data folder of a stopped server serves as the base backup, because some installations
		// lack pg_basebackup.
		const data = join(home.folder, "standby");
		await home.run("cp", "-a", join(home.folder, "primary"), data);
		await home.run("touch", join(data, "standby.signal"));
		await writeSettings(home, "primary", { synchronous_commit: "on", synchronous_standby_names: "standby" });
		await primary.start();
		// The standby has no synchronous_standby_names, so it waits for no other server after its promotion.
		await writeSettings(home, "standby", {
			synchronous_commit: "on",
			primary_conninfo: `host=${home.folder} port=${primary.port} user=resort application_name=standby`,
		});
		await standby.start();
		await synchronous(primary.url);
		return {
			primary,
			standby,
			/** Promotes the standby. Resolves when the standby accepts writes. */
			promote: () => promote(standby.url),
			[Symbol.asyncDispose]: () => home[Symbol.asyncDispose](),
		};
	} catch (error) {
		await home[Symbol.asyncDispose]();
		throw error;
	}
}

async function synchronous(primaryUrl: string): Promise<void> {
	await using sql = new SQL(primaryUrl, { max: 1 });
	await until(async () => {
		const states = await sql`select sync_state from pg_stat_replication`;
		return states[0]?.sync_state === "sync";
	});
}

async function promote(standbyUrl: string): Promise<void> {
	await using sql = new SQL(standbyUrl, { max: 1 });
	// Waits for the end of the recovery, at most 60 s.
	const [answer] = await sql`select pg_promote() as is_done`;
	if (answer.is_done !== true) throw new Error("the standby was not promoted");
}
