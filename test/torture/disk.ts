import { spawnSync } from "node:child_process";
import {
	copyFileSync,
	existsSync,
	readdirSync,
	readFileSync,
	renameSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "bun";
import { seededRandom } from "../../src/core/lib/random.ts";
import { run, type Serving } from "../support/executable.ts";
import { TemporaryFolder } from "../support/folder.ts";
import { Answers } from "./answers.ts";
import { examineFile } from "./consistency.ts";
import { Crowd } from "./crowd.ts";
import { guest } from "./guest.ts";
import { type Part, serveApart } from "./part.ts";

const GUESTS = 16;
const DATABASE = "resort.sqlite";

/**
 * The size of the disk: larger than an empty database, smaller than the write-ahead log before it is merged.
 */
const DISK_MIB = 16;

/** The number of acknowledged or refused writes before the next step. */
const ENOUGH = 100;

const PATIENCE_MS = 60_000;

/** The paths that must return 200 whatever the state of the disk is. */
const READS = [
	"/api/lobby",
	"/api/postcards",
	"/api/experiences",
	"/api/experiences/leaderboard",
	"/api/activities",
];

/** Fills the disk and removes the files of a server while guests write. */
export const disk: Part = {
	name: "disk",
	about: "a full, read-only or vanished disk loses nothing (needs root)",
	async run({ seed, stop, goesOn }) {
		if (process.getuid?.() !== 0) {
			return { figures: [["left out", "mount needs root"]], failures: [] };
		}
		const random = seededRandom(seed);
		const totals = { acknowledged: 0, refused: 0 };
		const all: string[] = [];
		let rounds = 0;
		while (goesOn(rounds)) {
			for (const [name, scenario] of Object.entries(scenarios)) {
				if (stop.aborted) break;
				using disk = mountDisk();
				const answers = new Answers();
				const crowd = new Crowd(answers, random, [null], guest);
				crowd.begin(GUESTS);
				const failures = await scenario({ folder: disk.path, crowd }).finally(() => crowd.stop());
				answers.stop();
				failures.push(...answers.failures, ...(await examineFile(join(disk.path, DATABASE), crowd.book)));
				all.push(...failures.map((failure) => `${name}: ${failure}`));
				totals.acknowledged += crowd.book.acknowledged;
				totals.refused += answers.refused;
			}
			if (!stop.aborted) rounds++;
		}
		return {
			figures: [
				["rounds", `${rounds}`],
				["acknowledged writes", `${totals.acknowledged}`],
				["refused with 503", `${totals.refused}`],
			],
			failures: all,
		};
	},
};

interface Scene {
	readonly folder: string;
	readonly crowd: Crowd;
}

/** Each scenario ends with a database that nobody writes to, which is then examined. */
const scenarios: Readonly<Record<string, (scene: Scene) => Promise<string[]>>> = {
	async "full while it is written to"(scene) {
		const { folder } = scene;
		const server = await start(scene);
		const failures: string[] = [];
		for (let turn = 0; turn < 3; turn++) {
			await more(scene, "acknowledged");
			fillUp(folder);
			await more(scene, "refused");
			failures.push(...(await read(server.url)));
			failures.push(...(await backUpOnto(folder)));
			failures.push(...(await startOnto(folder)));
			empty(folder);
			await more(scene, "acknowledged");
		}
		await scene.crowd.pause();
		const { stderr } = await server.stop();
		const isLogged = stderr.includes("request failed");
		return isLogged ? [...failures, "an answer 500 is logged"] : failures;
	},

	async "full with nothing but its own log"(scene) {
		const { folder, crowd } = scene;
		const server = await start(scene);
		const ballast = Buffer.alloc((DISK_MIB - 3) * 2 ** 20);
		writeFileSync(join(folder, "some"), ballast);
		await more(scene, "refused");
		const failures = await read(server.url);
		await crowd.pause();
		// The server stops without space to merge the log, so the log remains.
		fillUp(folder);
		const { exitCode } = await server.stop();
		if (exitCode !== 0) failures.push(`stopping ends with ${exitCode}`);
		fillUp(folder);
		return [...failures, ...(await startFull(scene))];
	},

	async "killed while it is full"(scene) {
		const server = await start(scene);
		await more(scene, "acknowledged");
		fillUp(scene.folder);
		await more(scene, "refused");
		await server.stop("SIGKILL");
		await scene.crowd.pause();
		return startFull(scene);
	},

	async "read-only at the start"(scene) {
		const { folder, crowd } = scene;
		const first = await start(scene);
		await more(scene, "acknowledged");
		await crowd.pause();
		await first.stop();
		command("mount", "-o", "remount,ro", folder);
		const failures = await refusesToStart(folder, DATABASE);
		command("mount", "-o", "remount,rw", folder);
		await (await serveApart(DATABASE, { cwd: folder })).stop();
		return failures;
	},

	async "removed, replaced and put back"(scene) {
		const { folder, crowd } = scene;
		const server = await start(scene);
		const failures: string[] = [];
		for (const name of [DATABASE, `${DATABASE}-wal`]) {
			const file = join(folder, name);
			await more(scene, "acknowledged");
			renameSync(file, join(folder, "away"));
			await more(scene, "refused");
			failures.push(...(await read(server.url)));
			copyFileSync(join(folder, "away"), file);
			await more(scene, "refused");
			failures.push(...(await read(server.url)));
			rmSync(file);
			renameSync(join(folder, "away"), file);
			await more(scene, "acknowledged");
		}
		await crowd.pause();
		await server.stop("SIGKILL");
		await (await serveApart(DATABASE, { cwd: folder })).stop();
		return failures;
	},

	async "no room for the copy before a migration"({ folder }) {
		const packed = join(import.meta.dir, "../upgrade/1.sqlite.gz");
		const old = gunzipSync(readFileSync(packed));
		const file = join(folder, DATABASE);
		writeFileSync(file, old);
		fillUp(folder);
		const failures = await refusesToStart(folder, DATABASE);
		if (!readFileSync(file).equals(old)) {
			failures.push("the old database is not as it was");
		}
		empty(folder);
		await (await serveApart(DATABASE, { cwd: folder })).stop();
		if (!existsSync(`${file}.v1.bak`)) failures.push("no copy is kept");
		const left = readdirSync(folder).filter((name) => name.endsWith(".tmp"));
		// The next steps use the database that the guests have written.
		rmSync(file);
		await (await serveApart(DATABASE, { cwd: folder })).stop();
		return [...failures, ...left.map((name) => `${name} was left`)];
	},
};

async function start({ folder, crowd }: Scene): Promise<Serving> {
	const server = await serveApart(DATABASE, { cwd: folder });
	crowd.urls[0] = server.url;
	return server;
}

/** Starts on a full disk. Reads succeed, and writes are refused until there is space. */
async function startFull(scene: Scene): Promise<string[]> {
	const { folder, crowd } = scene;
	const server = await start(scene);
	const file = join(folder, DATABASE);
	const failures = await read(server.url);
	await more(scene, "refused");
	empty(folder);
	await more(scene, "acknowledged");
	await crowd.pause();
	failures.push(...(await examineFile(file, crowd.book)));
	await server.stop();
	return failures;
}

/** Reads lists and pages, which must succeed, and the health, which must be 503 because writes fail. */
async function read(url: string): Promise<string[]> {
	const failures: string[] = [];
	for (const path of [...READS, "/api/health"]) {
		const expected = path === "/api/health" ? 503 : 200;
		const { status } = await fetch(url + path);
		if (status !== expected) failures.push(`GET ${path}: ${status}`);
	}
	return failures;
}

/** A backup without enough space fails with one line, and leaves no file. */
async function backUpOnto(folder: string): Promise<string[]> {
	const before = readdirSync(folder).join();
	const args = ["backup", "copy", "--database", "resort.sqlite"];
	const { exitCode, stderr } = await run(args, { cwd: folder });
	return [
		...isClear(exitCode, stderr),
		...(readdirSync(folder).join() === before ? [] : ["half a backup is left"]),
	];
}

async function startOnto(folder: string): Promise<string[]> {
	const failures = await refusesToStart(folder, "new.sqlite");
	for (const name of readdirSync(folder)) {
		if (name.startsWith("new.")) rmSync(join(folder, name));
	}
	return failures;
}

async function refusesToStart(cwd: string, database: string): Promise<string[]> {
	const args = ["serve", "--port", "0", "--database", database];
	const { exitCode, stderr } = await run(args, { cwd });
	return isClear(exitCode, stderr);
}

function isClear(exitCode: number, stderr: string): string[] {
	return exitCode === 1 && /^resort: [^\n]+\n$/.test(stderr) ? [] : [`ends with ${exitCode}: ${stderr}`];
}

async function more({ crowd }: Scene, what: "acknowledged" | "refused"): Promise<void> {
	const count = () => (what === "refused" ? crowd.answers.refused : crowd.book.acknowledged);
	const enough = count() + ENOUGH;
	const deadlineMs = performance.now() + PATIENCE_MS;
	while (count() < enough) {
		if (performance.now() > deadlineMs)
			throw new Error(`${what} stays at ${count()}: ${crowd.answers.failures.slice(0, 5)}`);
		await Bun.sleep(5);
	}
}

/** Mounts a separate disk. Disposing of it unmounts the disk. */
function mountDisk(): { path: string } & Disposable {
	const folder = new TemporaryFolder();
	command("mount", "-t", "tmpfs", "-o", `size=${DISK_MIB}m`, "tmpfs", folder.path);
	return {
		path: folder.path,
		[Symbol.dispose]() {
			command("umount", "-l", folder.path);
			folder[Symbol.dispose]();
		},
	};
}

function fillUp(folder: string): void {
	const ballast = join(folder, "ballast");
	spawnSync("dd", ["if=/dev/zero", `of=${ballast}`, "bs=4096", "oflag=append", "conv=notrunc"]);
}

function empty(folder: string): void {
	rmSync(join(folder, "ballast"), { force: true });
	rmSync(join(folder, "some"), { force: true });
}

function command(name: string, ...args: string[]): void {
	const { status, stderr } = spawnSync(name, args);
	if (status !== 0) throw new Error(`${name} ${args.join(" ")}: ${stderr}`);
}
