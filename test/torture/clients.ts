import { readdirSync, readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { temporaryFolder } from "../support/executable.ts";
import { transcript } from "../support/wire.ts";
import { type Manner, manners, shapes } from "./hostile.ts";
import type { Options, Part, Report } from "./part.ts";
import { serveApart } from "./server.ts";

/** How many hostile connections are held at a time, where the limit of open files allows it. */
const CONNECTIONS = 5_000;

/** How many are opened at once, so that the listen queue holds them. */
const OPENED_AT_ONCE = 100;

const CALM_SECONDS = 10;
const ATTACK_SECONDS = 75;

/** The idle time of the server, and what its timer may be late. */
const IDLE_SECONDS = 60 + 15;

const MAX_P99_MS = 50;
const MAX_MEMORY_MIB = 512;

/** Of the memory that the attack took, how much must be given back. */
const MAX_LEFT_MIB = 150;

/** Files that a server may open beside connections, and connections of the ordinary client. */
const FILES_TO_SPARE = 8;

/** Slow, greedy and malformed clients beside an ordinary one. */
export const clients: Part = {
	name: "clients",
	about: "slow and hostile clients neither hold connections nor slow others",
	async run({ goesOn }: Options): Promise<Report> {
		using folder = temporaryFolder();
		// In memory, so that the figures are those of connections and not of a disk.
		const server = await serveApart(
			["serve", "--ephemeral", "--log-level", "warning"],
			{ cwd: folder.path },
		);
		const figures = new Map<string, string>();
		const failures: string[] = [];
		for (let round = 0; goesOn(round); round++) {
			failures.push(...(await attack(server.url, server.pid, figures)));
		}
		const { exitCode, stderr } = await server.stop();
		if (exitCode !== 0) failures.push(`the server ends with ${exitCode}`);
		if (stderr !== "") failures.push(`logged: ${stderr.slice(0, 500)}`);
		return { figures: [...figures], failures };
	},
};

async function attack(
	url: string,
	pid: number,
	figures: Map<string, string>,
): Promise<string[]> {
	const failures: string[] = [];
	const port = Number(new URL(url).port);
	const calm = await probe(url, CALM_SECONDS);
	const before = look(pid);
	let peakMib = before.memoryMib;
	const watch = setInterval(() => {
		peakMib = Math.max(peakMib, look(pid).memoryMib);
	}, 250);

	const siege = new Siege(port, Math.min(CONNECTIONS, openFiles() - 500));
	const besieged = siege.hold(ATTACK_SECONDS);
	const [under, answers] = await Promise.all([
		probe(url, ATTACK_SECONDS),
		// Once the connections are up: before that the listen queue may be full for a moment.
		Bun.sleep(CALM_SECONDS * 1_000).then(() => sendShapes(port)),
	]);
	await besieged;
	failures.push(...answers);
	const heldThen = siege.open;
	const isAlone = () => look(pid).files <= before.files + FILES_TO_SPARE;
	const closedAfter = await siege.wait(isAlone, IDLE_SECONDS);
	if (!isAlone()) {
		const { files } = look(pid);
		failures.push(`the server has ${files} files open after ${closedAfter} s`);
	}
	siege.destroy();
	clearInterval(watch);
	const after = await probe(url, CALM_SECONDS);
	const left = look(pid);

	for (const [name, seconds] of siege.longest) {
		if (seconds > IDLE_SECONDS) failures.push(`${name}: held ${seconds} s`);
		figures.set(`held longest: ${name}`, `${seconds.toFixed(0)} s`);
	}
	for (const [name, { failed, p99 }] of Object.entries({ under, after })) {
		if (failed > 0) failures.push(`${name}: ${failed} ordinary calls failed`);
		if (p99 > MAX_P99_MS) {
			failures.push(`${name}: p99 ${p99.toFixed(0)} ms (calm ${calm.p99} ms)`);
		}
	}
	if (peakMib > MAX_MEMORY_MIB) failures.push(`memory ${peakMib} MiB`);
	if (left.memoryMib > before.memoryMib + MAX_LEFT_MIB) {
		failures.push(`memory ${left.memoryMib} MiB is not given back`);
	}
	for (const [label, value] of [
		["hostile connections at a time", siege.most],
		["hostile connections in all", siege.made],
		["open when they fell silent", heldThen],
		["all closed by the server after", `${closedAfter.toFixed(0)} s`],
		["malformed requests, all refused", shapes.length],
		["ordinary calls meanwhile", under.calls],
		["p50 calm / under / after", times(calm.p50, under.p50, after.p50)],
		["p99 calm / under / after", times(calm.p99, under.p99, after.p99)],
		[
			"memory before / most / after",
			`${[before.memoryMib, peakMib, left.memoryMib].map((mib) => mib.toFixed(0)).join(" / ")} MiB`,
		],
		["open files before / after", `${before.files} / ${left.files}`],
	] as const) {
		figures.set(label, `${value}`);
	}
	return failures;
}

/** Connections of every manner, each replaced as soon as the server closes it. */
class Siege {
	readonly #port: number;
	readonly #size: number;
	readonly #sockets = new Map<Socket, { manner: Manner; sinceMs: number }>();
	/** The longest time in seconds that the server let a connection of each manner be. */
	readonly longest = new Map<string, number>();
	most = 0;
	made = 0;

	constructor(port: number, size: number) {
		this.#port = port;
		this.#size = size;
	}

	/** How many connections are open. */
	get open(): number {
		return this.#sockets.size;
	}

	/** Keeps the connections up and sends what their manner says, for so many seconds. */
	async hold(seconds: number): Promise<void> {
		const plan = manners.flatMap((manner) =>
			Array.from({ length: manner.share }, () => manner),
		);
		const endMs = performance.now() + seconds * 1_000;
		let at = 0;
		let dripMs = 0;
		while (performance.now() < endMs) {
			for (
				let opened = 0;
				opened < OPENED_AT_ONCE && this.open < this.#size;
				opened++
			) {
				// 37 has no factor in common with the plan's length, so that manners mix.
				const manner = plan[(at++ * 37) % plan.length];
				if (manner !== undefined) this.#connect(manner);
			}
			this.most = Math.max(this.most, this.open);
			if (performance.now() - dripMs >= 1_000) {
				dripMs = performance.now();
				for (const [socket, { manner }] of this.#sockets) {
					if (manner.drip !== "" && socket.writable) {
						socket.write(manner.drip, "latin1");
					}
				}
			}
			await Bun.sleep(100);
		}
	}

	/**
	 * Sends nothing more and waits until the server has closed all connections. It is the server that is asked:
	 * of a connection that its full queue has turned away, a client that sends nothing never learns.
	 * @returns how long that took, in seconds
	 */
	async wait(isDone: () => boolean, seconds: number): Promise<number> {
		const startedMs = performance.now();
		while (!isDone() && performance.now() - startedMs < seconds * 1_000) {
			await Bun.sleep(100);
		}
		return (performance.now() - startedMs) / 1_000;
	}

	/** Lets go of what is left. */
	destroy(): void {
		const left = [...this.#sockets.keys()];
		this.#sockets.clear();
		for (const socket of left) socket.destroy();
	}

	#connect(manner: Manner): void {
		const sinceMs = performance.now();
		const socket = connect({
			port: this.#port,
			host: "127.0.0.1",
			allowHalfOpen: true,
		});
		this.made++;
		this.#sockets.set(socket, { manner, sinceMs });
		socket.on("connect", () => {
			socket.write(manner.first, "latin1");
			if (manner.halfClosed) socket.end();
		});
		if (manner.deaf) socket.pause();
		else socket.on("data", () => {});
		socket.on("end", () => socket.destroy());
		socket.on("error", () => socket.destroy());
		socket.on("close", () => {
			if (!this.#sockets.delete(socket)) return;
			const seconds = (performance.now() - sinceMs) / 1_000;
			const longest = this.longest.get(manner.name) ?? 0;
			this.longest.set(manner.name, Math.max(longest, seconds));
		});
	}
}

/** Sends every shape; each must be refused once, and what follows it must not be answered. */
async function sendShapes(port: number): Promise<string[]> {
	const failures: string[] = [];
	for (const { name, sent, status } of shapes) {
		const text = await transcript(port, { parts: [sent] }).catch(
			(error: Error) => error.message,
		);
		const given = [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, one]) =>
			Number(one),
		);
		const [first = 0] = given;
		const isRefused = status === undefined ? first >= 400 : first === status;
		if (given.length !== 1 || !isRefused || first === 500) {
			failures.push(`${name}: ${text.slice(0, 200)}`);
		}
	}
	return failures;
}

interface Probed {
	readonly calls: number;
	readonly failed: number;
	/** Milliseconds. */
	readonly p50: number;
	readonly p99: number;
}

async function probe(url: string, seconds: number): Promise<Probed> {
	const program = join(import.meta.dir, "probe.ts");
	const child = Bun.spawn([process.execPath, program, url, String(seconds)], {
		stdout: "pipe",
		stderr: "inherit",
		// Apart, as the server is.
		detached: true,
	});
	return JSON.parse(await new Response(child.stdout).text());
}

/** The memory and the open files of a process, from /proc. */
function look(pid: number): { memoryMib: number; files: number } {
	const status = readFileSync(`/proc/${pid}/status`, "utf8");
	return {
		memoryMib: Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024,
		files: readdirSync(`/proc/${pid}/fd`).length,
	};
}

/** How many files this process may have open; Bun raises it to the hard limit. */
function openFiles(): number {
	const limits = readFileSync("/proc/self/limits", "utf8");
	return Number(/Max open files\s+(\d+)/.exec(limits)?.[1] ?? 1024);
}

function times(...values: readonly number[]): string {
	return `${values.map((ms) => ms.toFixed(1)).join(" / ")} ms`;
}
