/**
 * Measures for how long `resort admin erase` blocks others on a large database: the longest time for which
 * another program finds the write lock taken, and the latency of calls beside it. `bun bench/erase.ts
 * [--agents N …]`
 */
import { Database } from "bun:sqlite";
import { copyFileSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run, serve } from "../test/support/executable.ts";
import { generate } from "./generate.ts";
import { readGuests } from "./guests.ts";
import { readOptions } from "./options.ts";

/**
 * How many rows get another length, so that SQLite moves rows and leaves their old bytes in gaps of pages.
 */
const CHURN = 300_000;

/** One of so many postcards is of the agent that is erased. */
const POSTCARD_SHARE = 30;

const WRITERS = 4;

/**
 * In milliseconds: how long calls are made before they are measured, how long they are measured without an
 * erasure, and how often the write lock is tried.
 */
const TIMES = { warm: 1_000, calm: 8_000, probe: 1 };

/** Rows of 1.2 GiB, unless the command line says otherwise. */
const SIZE = ["--agents", "200000", "--stays", "900000", "--log", "3000000", "--postcards", "300000"];

const { main, seed } = readOptions([...SIZE, ...process.argv.slice(2)]);
const { database, guests } = await generate(main, seed);
const folder = mkdtempSync(join(tmpdir(), "resort-erase-"));
const file = join(folder, "resort.sqlite");
copyFileSync(database, file);
const people = readGuests(guests);
const [first = "", second = ""] = people.map(({ id }) => id);
const keys = people.slice(2, 2 + WRITERS).map(({ apiKey }) => apiKey);
try {
	await onInstance(first, async (url) => {
		print("erase, nobody writes", await measure(url, [], () => erase(first)));
	});
	await onInstance(second, async (url) => {
		const writers = `${WRITERS} writers`;
		const calm = await measure(url, keys, () => Bun.sleep(TIMES.calm));
		print(`${writers}, no erasure`, calm);
		const beside = await measure(url, keys, () => erase(second));
		print(`${writers}, erase`, beside);
	});
} finally {
	rmSync(folder, { recursive: true });
}

/** Serves the database, which is full of gaps, and in which an agent has sent many postcards. */
async function onInstance(agentId: string, work: (url: string) => Promise<void>): Promise<void> {
	churn(agentId);
	const instance = await serve(
		["serve", "--port", "0", "--rate-limits", "off", "--log-level", "warning", "--database", file],
		{ cwd: folder },
	);
	try {
		// What is called first loads the application.
		await measure(instance.url, keys, () => Bun.sleep(TIMES.warm));
		await work(instance.url);
	} finally {
		await instance.stop();
	}
}

/** Gives rows another length and an agent many postcards, and ends with an empty log. */
function churn(agentId: string): void {
	const sqlite = new Database(file);
	sqlite.run("PRAGMA synchronous = OFF");
	sqlite.run("PRAGMA secure_delete = ON");
	sqlite.run("BEGIN");
	sqlite.run(`UPDATE postcards SET sender_id = ? WHERE seq % ${POSTCARD_SHARE} = 0`, [agentId]);
	for (const [table, column] of [
		["agents", "bio"],
		["activity_log", "notes"],
		["postcards", "message"],
	]) {
		const [rows = 0] = sqlite.query<[number], []>(`SELECT max(seq) FROM ${table}`).values()[0] as [number];
		const update = sqlite.prepare(`UPDATE ${table} SET ${column} = ? WHERE seq = ?`);
		for (let at = 0; at < CHURN / 3; at++) {
			const seq = 1 + ((at * 7_919_317) % rows);
			update.run("long ".repeat(1 + (at % 60)), seq);
		}
		update.finalize();
	}
	sqlite.run("COMMIT");
	sqlite.run("PRAGMA wal_checkpoint(TRUNCATE)");
	sqlite.close();
	// Otherwise the disk is still busy with this while others are measured.
	Bun.spawnSync(["sync", file]);
}

async function erase(id: string): Promise<void> {
	const { exitCode, stderr } = await run(["admin", "erase", id, "--database", file], {
		cwd: folder,
		stdin: `${id}\n`,
	});
	if (exitCode !== 0) throw new Error(stderr);
}

/** Measures the lock and calls while `work` runs. */
async function measure(url: string, keys: readonly string[], work: () => Promise<void>) {
	let isOver = false;
	const writesMs: number[] = [];
	const readsMs: number[] = [];
	const timed = async (times: number[], call: () => Promise<Response>) => {
		while (!isOver) {
			const begun = performance.now();
			const response = await call();
			await response.arrayBuffer();
			if (!response.ok) throw new Error(`${response.status}`);
			times.push(performance.now() - begun);
			await Bun.sleep(5);
		}
	};
	const write = (key: string) =>
		fetch(`${url}/api/activities/tidepool-float/do`, {
			method: "POST",
			headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
			body: "{}",
		});
	const prober = probe();
	const calls = [
		...keys.map((key) => timed(writesMs, () => write(key))),
		timed(readsMs, () => fetch(`${url}/api/health`)),
	];
	const begun = performance.now();
	await work();
	const tookMs = performance.now() - begun;
	isOver = true;
	await Promise.all(calls);
	return { tookMs, lockedMs: await prober(), writesMs, readsMs };
}

/**
 * Tries the write lock in a program of its own. Returns a function that ends it and returns the times it was
 * taken.
 */
function probe(): () => Promise<number[]> {
	const script = `
		const { Database } = require("bun:sqlite");
		const sqlite = new Database(${JSON.stringify(file)});
		sqlite.run("PRAGMA busy_timeout = 0");
		const taken = [];
		let since = null;
		let isOver = false;
		process.stdin.on("data", () => { isOver = true; }).on("end", () => { isOver = true; });
		while (!isOver) {
			const now = performance.now();
			let isFree = true;
			try { sqlite.run("BEGIN IMMEDIATE"); sqlite.run("ROLLBACK"); } catch { isFree = false; }
			if (!isFree) since ??= now;
			else if (since !== null) { taken.push(performance.now() - since); since = null; }
			await Bun.sleep(${TIMES.probe});
		}
		console.log(JSON.stringify(taken));
		process.exit(0);`;
	const child = Bun.spawn([process.execPath, "-e", script], {
		stdin: "pipe",
		stdout: "pipe",
		stderr: "inherit",
	});
	return async () => {
		child.stdin.end();
		return JSON.parse(await new Response(child.stdout).text());
	};
}

function print(
	name: string,
	{ tookMs, lockedMs, writesMs, readsMs }: Awaited<ReturnType<typeof measure>>,
): void {
	const shown = (times: readonly number[]) => {
		const sorted = times.toSorted((a, b) => a - b);
		const at = (share: number) => (sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(1);
		return `${sorted.length} times, median ${at(0.5)}, p99 ${at(0.99)}, longest ${at(1)} ms`;
	};
	process.stdout.write(
		`${name} (${(tookMs / 1_000).toFixed(1)} s, ${(statSync(file).size / 2 ** 30).toFixed(2)} GiB)\n` +
			`  write lock taken  ${shown(lockedMs)}\n  writes            ${shown(writesMs)}\n  health            ${shown(readsMs)}\n`,
	);
}
