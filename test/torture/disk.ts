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
import { seededRandom } from "../../src/lib/random.ts";
import { run, temporaryFolder } from "../support/executable.ts";
import { examine } from "./consistency.ts";
import { Crowd } from "./crowd.ts";
import { Ledger } from "./ledger.ts";
import type { Options, Part, Report } from "./part.ts";
import { serveApart } from "./server.ts";

const CLIENTS = 16;

/** The size of the disk: larger than an empty database, smaller than the log before it is merged. */
const DISK_MIB = 8;

const SERVE = ["serve", "--port", "0", "--rate-limits", "off"].concat(
	["--database", "resort.sqlite"],
	["--log-level", "warning"],
);

/** How many writes are waited for, acknowledged or refused, before the next thing happens. */
const ENOUGH = 100;

const PATIENCE_MS = 60_000;

/** What must be answered with 200 whatever the disk does. */
const READS = [
	"/api/lobby",
	"/api/postcards",
	"/api/experiences",
	"/api/experiences/leaderboard",
	"/api/activities",
];

/** Fills the disk and takes the files away under a server that is written to. */
export const disk: Part = {
	name: "disk",
	about:
		"a full, read-only or vanished disk is told, and loses nothing (needs root)",
	async run({ seed, stop, goesOn, progress }: Options): Promise<Report> {
		if (process.getuid?.() !== 0) {
			return { figures: [["left out", "mount needs root"]], failures: [] };
		}
		const found: Found = {
			acknowledged: 0,
			refused: 0,
			reads: 0,
			failures: [],
		};
		const random = seededRandom(seed);
		let rounds = 0;
		while (goesOn(rounds)) {
			for (const [name, scenario] of Object.entries(scenarios)) {
				if (stop.aborted) break;
				using mounted = mountDisk();
				const ledger = new Ledger();
				const crowd = new Crowd(ledger, random, CLIENTS);
				const failures = await scenario({
					folder: mounted.path,
					ledger,
					crowd,
					found,
				});
				found.failures.push(
					...[...failures, ...crowd.takeFailures()].map(
						(failure) => `${name}: ${failure}`,
					),
				);
				found.acknowledged += ledger.acknowledged;
				found.refused += crowd.refused;
			}
			if (!stop.aborted) rounds++;
			progress(`${rounds} rounds`);
		}
		return {
			figures: [
				["rounds", `${rounds}`],
				["disk", `${DISK_MIB} MiB`],
				["acknowledged writes", `${found.acknowledged}`],
				["writes refused with 503", `${found.refused}`],
				["reads answered meanwhile", `${found.reads}`],
			],
			failures: found.failures,
		};
	},
};

interface Found {
	acknowledged: number;
	refused: number;
	reads: number;
	readonly failures: string[];
}

interface Scene {
	readonly folder: string;
	readonly ledger: Ledger;
	readonly crowd: Crowd;
	readonly found: Found;
}

const scenarios: Readonly<Record<string, (scene: Scene) => Promise<string[]>>> =
	{
		async "full while it is written to"(scene) {
			const { folder, ledger, crowd } = scene;
			const server = await serveApart(SERVE, { cwd: folder });
			const writing = crowd.write(server.url);
			const failures: string[] = [];
			for (let turn = 0; turn < 3; turn++) {
				await more(() => ledger.acknowledged);
				fillUp(folder);
				await more(() => crowd.refused);
				failures.push(...(await read(server.url, scene)));
				failures.push(...(await backUpOnto(folder)));
				failures.push(...(await startOnto(folder)));
				empty(folder);
				await more(() => ledger.acknowledged);
			}
			crowd.stop();
			await writing;
			failures.push(...(await crowd.check(server.url)));
			failures.push(
				...((await server.stop()).stderr.includes("request failed")
					? ["the log tells of an answer 500"]
					: []),
			);
			return [...failures, ...inspect(scene)];
		},

		async "full with nothing but its own log"(scene) {
			const { folder, crowd } = scene;
			const server = await serveApart(SERVE, { cwd: folder });
			const writing = crowd.write(server.url);
			writeFileSync(
				join(folder, "some"),
				Buffer.alloc((DISK_MIB - 3) * 2 ** 20),
			);
			await more(() => crowd.refused);
			const failures = await read(server.url, scene);
			crowd.stop();
			await writing;
			// Stopped without room to merge the log, which then stays.
			fillUp(folder);
			const { exitCode } = await server.stop();
			if (exitCode !== 0) failures.push(`stopping ends with ${exitCode}`);
			fillUp(folder);
			return [...failures, ...(await startFull(scene))];
		},

		async "killed while it is full"(scene) {
			const { folder, ledger, crowd } = scene;
			const server = await serveApart(SERVE, { cwd: folder });
			const writing = crowd.write(server.url);
			await more(() => ledger.acknowledged);
			fillUp(folder);
			await more(() => crowd.refused);
			await server.stop("SIGKILL");
			await writing;
			return await startFull(scene);
		},

		async "read-only at the start"(scene) {
			const { folder, ledger, crowd } = scene;
			const first = await serveApart(SERVE, { cwd: folder });
			const writing = crowd.write(first.url);
			await more(() => ledger.acknowledged);
			crowd.stop();
			await writing;
			await first.stop();
			command("mount", "-o", "remount,ro", folder);
			const failures = await refusesToStart(folder, "resort.sqlite");
			command("mount", "-o", "remount,rw", folder);
			return [...failures, ...(await startAgain(scene))];
		},

		async "removed, replaced and put back"(scene) {
			const { folder, ledger, crowd } = scene;
			const server = await serveApart(SERVE, { cwd: folder });
			const writing = crowd.write(server.url);
			const failures: string[] = [];
			for (const name of ["resort.sqlite", "resort.sqlite-wal"]) {
				const file = join(folder, name);
				await more(() => ledger.acknowledged);
				renameSync(file, join(folder, "away"));
				await more(() => crowd.refused);
				failures.push(...(await read(server.url, scene, 503)));
				copyFileSync(join(folder, "away"), file);
				await more(() => crowd.refused);
				failures.push(...(await read(server.url, scene, 503)));
				rmSync(file);
				renameSync(join(folder, "away"), file);
				await more(() => ledger.acknowledged);
			}
			crowd.stop();
			await writing;
			failures.push(...(await crowd.check(server.url)));
			await server.stop("SIGKILL");
			return [...failures, ...inspect(scene), ...(await startAgain(scene))];
		},

		async "no room for the copy before a migration"({ folder }) {
			const failures: string[] = [];
			const packed = join(import.meta.dir, "../upgrade/1.sqlite.gz");
			const old = gunzipSync(readFileSync(packed));
			writeFileSync(join(folder, "resort.sqlite"), old);
			fillUp(folder);
			failures.push(...(await refusesToStart(folder, "resort.sqlite")));
			if (!readFileSync(join(folder, "resort.sqlite")).equals(old)) {
				failures.push("the old database is not as it was");
			}
			empty(folder);
			const server = await serveApart(SERVE, { cwd: folder });
			await server.stop();
			if (!existsSync(join(folder, "resort.sqlite.v1.bak"))) {
				failures.push("no copy is kept");
			}
			const left = readdirSync(folder).filter((name) => name.endsWith(".tmp"));
			return [...failures, ...left.map((name) => `${name} was left`)];
		},
	};

/** Starts on a full disk: reads are answered, writes are refused until there is room. */
async function startFull(scene: Scene): Promise<string[]> {
	const { folder, crowd, ledger } = scene;
	const server = await serveApart(SERVE, { cwd: folder });
	const failures = [
		...(await crowd.check(server.url)),
		...inspect(scene),
		...(await read(server.url, scene)),
	];
	const writing = crowd.write(server.url);
	await more(() => crowd.refused);
	empty(folder);
	await more(() => ledger.acknowledged);
	crowd.stop();
	await writing;
	failures.push(...(await crowd.check(server.url)));
	await server.stop();
	return [...failures, ...inspect(scene)];
}

/** Starts once more and looks whether all is there. */
async function startAgain(scene: Scene): Promise<string[]> {
	const server = await serveApart(SERVE, { cwd: scene.folder });
	const failures = await scene.crowd.check(server.url);
	await server.stop();
	return [...failures, ...inspect(scene)];
}

function inspect({ folder, ledger }: Scene): string[] {
	return examine(join(folder, "resort.sqlite"), (sqlite) =>
		ledger.check(sqlite),
	);
}

/** Reads in every way, and asks for health, which is 200 unless another status is given. */
async function read(
	url: string,
	{ found }: Scene,
	health = 200,
): Promise<string[]> {
	const failures: string[] = [];
	for (const path of [...READS, "/api/health"]) {
		const expected = path === "/api/health" ? health : 200;
		const { status } = await fetch(url + path);
		if (status !== expected) failures.push(`GET ${path}: ${status}`);
		found.reads++;
	}
	return failures;
}

/** A backup for which there is no room fails in one line and leaves nothing. */
async function backUpOnto(folder: string): Promise<string[]> {
	const before = readdirSync(folder).join();
	const args = ["backup", "copy", "--database", "resort.sqlite"];
	const { exitCode, stderr } = await run(args, { cwd: folder });
	return [
		...isClear(exitCode, stderr),
		...(readdirSync(folder).join() === before ? [] : ["half a backup is left"]),
	];
}

/** A new database for which there is no room. */
async function startOnto(folder: string): Promise<string[]> {
	const failures = await refusesToStart(folder, "new.sqlite");
	for (const name of readdirSync(folder)) {
		if (name.startsWith("new.")) rmSync(join(folder, name));
	}
	return failures;
}

async function refusesToStart(
	cwd: string,
	database: string,
): Promise<string[]> {
	const args = ["serve", "--port", "0", "--database", database];
	const { exitCode, stderr } = await run(args, { cwd });
	return isClear(exitCode, stderr);
}

function isClear(exitCode: number, stderr: string): string[] {
	return exitCode === 1 && /^resort: [^\n]+\n$/.test(stderr)
		? []
		: [`ends with ${exitCode}: ${stderr}`];
}

/** Waits until a count has grown by enough. */
async function more(count: () => number): Promise<void> {
	const enough = count() + ENOUGH;
	const deadlineMs = performance.now() + PATIENCE_MS;
	while (count() < enough) {
		if (performance.now() > deadlineMs) throw new Error("nothing happens");
		await Bun.sleep(5);
	}
}

/** A disk of its own, gone once it is disposed of. */
function mountDisk(): { path: string } & Disposable {
	const folder = temporaryFolder();
	command(
		"mount",
		...["-t", "tmpfs", "-o", `size=${DISK_MIB}m`, "tmpfs", folder.path],
	);
	return {
		path: folder.path,
		[Symbol.dispose]() {
			command("umount", "-l", folder.path);
			folder[Symbol.dispose]();
		},
	};
}

/** Leaves no room on a disk. */
function fillUp(folder: string): void {
	const ballast = join(folder, "ballast");
	spawnSync("dd", [
		"if=/dev/zero",
		`of=${ballast}`,
		"bs=4096",
		"oflag=append",
		"conv=notrunc",
	]);
}

/** Gives the room back. */
function empty(folder: string): void {
	rmSync(join(folder, "ballast"), { force: true });
	rmSync(join(folder, "some"), { force: true });
}

function command(name: string, ...args: string[]): void {
	const { status, stderr } = spawnSync(name, args);
	if (status !== 0) throw new Error(`${name} ${args.join(" ")}: ${stderr}`);
}
