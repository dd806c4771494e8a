/**
 * Measures the built executable beside a bare `Bun.serve`, in turns, so that a slow moment of the machine
 * hits both. Needs `dist/resort` and wrk. Prints a table; `bench/README.md` says how to read it.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { $ } from "bun";

const ROUNDS = 3;
const SECONDS = 4;
const CONNECTIONS = 32;
const GUESTS = 500;
const STARTS = 10;

const root = join(import.meta.dir, "..");
const executable = join(root, "dist/resort");
const folder = mkdtempSync(join(tmpdir(), "resort-bench-"));

interface Running {
	readonly url: string;
	readonly pid: number;
	stop(): Promise<void>;
}

interface Target {
	readonly name: string;
	readonly server: Running;
	readonly script?: string;
}

if (Bun.which("wrk") === null) {
	throw new Error("the benchmark needs wrk (Debian: apt-get install wrk)");
}
try {
	await measureStart();
	await measureLoad();
} finally {
	rmSync(folder, { recursive: true });
}

async function measureStart(): Promise<void> {
	const bareExecutable = join(folder, "bare");
	await $`bun build bench/bare.ts --compile --bytecode --format=esm --outfile ${bareExecutable}`
		.cwd(root)
		.quiet();
	const times: Record<"bare" | "resort", number[]> = { bare: [], resort: [] };
	const resort = [executable, "serve", "--ephemeral"];
	for (let start = -1; start < STARTS; start++) {
		const bareMs = await startToFirstAnswer([bareExecutable]);
		const resortMs = await startToFirstAnswer(resort);
		if (start < 0) continue;
		times.bare.push(bareMs);
		times.resort.push(resortMs);
	}
	print("start to first 200, ms", [
		["bare Bun.serve, compiled", median(times.bare).toFixed(1)],
		["resort serve --ephemeral", median(times.resort).toFixed(1)],
	]);
}

async function measureLoad(): Promise<void> {
	const bare = await start(["bun", join(import.meta.dir, "bare.ts")]);
	const database = join(folder, "resort.sqlite");
	const resort = await start([
		executable,
		"serve",
		...["--database", database, "--port", "0", "--rate-limits", "off"],
	]);
	const idle = memoryMib(resort.pid);
	const guests = await checkInGuests(resort.url);
	const targets: Target[] = [
		{ name: "bare Bun.serve", server: bare },
		{ name: "GET status", server: resort, script: "status.lua" },
		{ name: "POST do", server: resort, script: "do-activity.lua" },
	];
	const runs = new Map<string, Run[]>();
	for (let round = 0; round < ROUNDS; round++) {
		for (const target of targets) {
			const run = await load(target, guests);
			runs.set(target.name, [...(runs.get(target.name) ?? []), run]);
		}
	}
	print(
		`requests a second, ${CONNECTIONS} connections, median of ${ROUNDS} times ${SECONDS} s; processor time of the server a request`,
		[...runs].map(([name, all]) => [
			name,
			median(all.map((run) => run.perSecond)).toFixed(0),
			`${median(all.map((run) => run.processorUs)).toFixed(1)} us`,
			`${all.reduce((sum, run) => sum + run.refused, 0)} not 2xx`,
		]),
	);
	print("memory of the resort, MiB", [
		["idle", idle.toFixed(0)],
		["after the load", memoryMib(resort.pid).toFixed(0)],
	]);
	await Promise.all([bare.stop(), resort.stop()]);
}

interface Run {
	readonly perSecond: number;
	readonly processorUs: number;
	readonly refused: number;
}

async function load({ server, script }: Target, guests: string): Promise<Run> {
	const before = processorMs(server.pid);
	const lua =
		script === undefined
			? [server.url]
			: ["-s", join(import.meta.dir, script), server.url, "--", guests];
	const output = await $`wrk -t1 -c${CONNECTIONS} -d${SECONDS}s ${lua}`.text();
	const requests = Number(/(\d+) requests in/.exec(output)?.[1]);
	return {
		perSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(output)?.[1]),
		processorUs: ((processorMs(server.pid) - before) * 1000) / requests,
		refused: Number(/Non-2xx or 3xx responses: (\d+)/.exec(output)?.[1] ?? 0),
	};
}

/** Registers guests and checks them in; the path of a file with their ids and keys. */
async function checkInGuests(url: string): Promise<string> {
	const lines: string[] = [];
	for (let guest = 1; guest <= GUESTS; guest++) {
		const registered = await fetch(`${url}/api/agents`, {
			method: "POST",
			headers: { "content-type": "application/json" },
			body: JSON.stringify({ name: `Guest ${guest}` }),
		});
		const { agent, apiKey } = (await registered.json()) as {
			agent: { id: string };
			apiKey: string;
		};
		await fetch(`${url}/api/checkin`, {
			method: "POST",
			headers: { authorization: `Bearer ${apiKey}` },
		});
		lines.push(`${agent.id} ${apiKey}`);
	}
	const path = join(folder, "guests");
	await Bun.write(path, lines.join("\n"));
	return path;
}

async function startToFirstAnswer(command: string[]): Promise<number> {
	const startedAt = performance.now();
	const server = await start(command);
	await (await fetch(`${server.url}/api/health`)).text();
	const elapsedMs = performance.now() - startedAt;
	await server.stop();
	return elapsedMs;
}

async function start(command: string[]): Promise<Running> {
	const child = Bun.spawn(command, { stdout: "pipe", stderr: "ignore" });
	for await (const chunk of child.stdout) {
		const { url } = JSON.parse(new TextDecoder().decode(chunk));
		return {
			url,
			pid: child.pid,
			async stop() {
				child.kill("SIGKILL");
				await child.exited;
			},
		};
	}
	throw new Error(`${command.join(" ")} ended before it was ready`);
}

/** Processor time that a process has used, from /proc (in ticks of 10 ms). */
function processorMs(pid: number): number {
	const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(" ");
	return (Number(fields[13]) + Number(fields[14])) * 10;
}

function memoryMib(pid: number): number {
	const status = readFileSync(`/proc/${pid}/status`, "utf8");
	return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}

function median(values: readonly number[]): number {
	const sorted = values.toSorted((a, b) => a - b);
	return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

function print(title: string, rows: readonly (readonly string[])[]): void {
	const lines = rows.map(([name = "", ...figures]) =>
		[name.padEnd(28), ...figures.map((figure) => figure.padStart(14))].join(""),
	);
	process.stdout.write(`\n${title}\n${lines.join("\n")}\n`);
}
