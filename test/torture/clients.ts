import { readdirSync, readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { temporaryFolder } from "../support/executable.ts";
import { memoryMib, type Part, serveApart } from "./part.ts";

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

const HEAD = "GET /api/health HTTP/1.1\r\nHost: resort.test\r\n";
const POST =
	"POST /api/agents HTTP/1.1\r\nHost: resort.test\r\nContent-Type: application/json\r\n";
const BLOCK = " ".repeat(65_536);

/** A way to hold a connection. */
interface Manner {
	readonly name: string;
	/** Of a hundred connections, how many are held so. */
	readonly share: number;
	/** What is sent at once. */
	readonly first: string;
	/** What is sent each second from then on; nothing when left out. */
	readonly drip?: string;
	/** The client ends its side after `first`. */
	readonly isHalfClosed?: true;
	/** The client reads nothing. */
	readonly isDeaf?: true;
}

/** Slow and greedy clients; none of them ever sends what could be a whole further request. */
const manners: readonly Manner[] = [
	{ name: "silent", share: 10, first: "" },
	{
		name: "a header, a byte a second",
		share: 20,
		first: `${HEAD}X-Slow: `,
		drip: "a",
	},
	{
		name: "headers without end",
		share: 15,
		first: HEAD,
		drip: "X-More: 1\r\n",
	},
	{
		name: "a body, a byte a second",
		share: 20,
		first: `${POST}Content-Length: 60000\r\n\r\n{`,
		drip: " ",
	},
	{
		name: "a chunk of a byte a second",
		share: 15,
		first: `${POST}Transfer-Encoding: chunked\r\n\r\n`,
		drip: "1\r\n \r\n",
	},
	{
		name: "a huge body, declared",
		share: 1,
		first: `${POST}Content-Length: 1000000000000\r\n\r\n`,
		drip: BLOCK,
	},
	{
		name: "a huge body, in chunks",
		share: 1,
		first: `${POST}Transfer-Encoding: chunked\r\n\r\n`,
		drip: `10000\r\n${BLOCK}\r\n`,
	},
	{
		name: "half-closed within a head",
		share: 6,
		first: "GET /api/health HT",
		isHalfClosed: true,
	},
	{
		name: "half-closed within a body",
		share: 6,
		first: `${POST}Content-Length: 100\r\n\r\n{`,
		isHalfClosed: true,
	},
	{
		name: "1,000 calls at once, answers not read",
		share: 1,
		first: `${HEAD}\r\n`.repeat(1_000),
		isDeaf: true,
	},
	{ name: "answered, then silent", share: 5, first: `${HEAD}\r\n` },
];

/** Slow and greedy clients beside an ordinary one. */
export const clients: Part = {
	name: "clients",
	about: "slow and hostile clients neither hold connections nor slow others",
	async run({ goesOn }) {
		using folder = temporaryFolder();
		// In memory, so that the figures are those of connections and not of a disk.
		const server = await serveApart(null, { cwd: folder.path });
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
	const openFiles = () => readdirSync(`/proc/${pid}/fd`).length;
	const calm = await probe(url, CALM_SECONDS);
	const before = { mib: memoryMib(pid), files: openFiles() };
	let peakMib = before.mib;
	const watch = setInterval(() => {
		peakMib = Math.max(peakMib, memoryMib(pid));
	}, 250);

	const size = Math.min(CONNECTIONS, maxOpenFiles() - 500);
	const siege = new Siege(Number(new URL(url).port), size);
	const [under] = await Promise.all([
		probe(url, ATTACK_SECONDS),
		siege.hold(ATTACK_SECONDS),
	]);
	// The server is asked: a silent client never learns that its full queue has turned it away.
	const isAlone = () => openFiles() <= before.files + FILES_TO_SPARE;
	const silentMs = performance.now();
	const seconds = () => (performance.now() - silentMs) / 1_000;
	while (!isAlone() && seconds() < IDLE_SECONDS) await Bun.sleep(100);
	const closedAfter = seconds().toFixed(0);
	if (!isAlone()) {
		failures.push(`${openFiles()} files are open after ${closedAfter} s`);
	}
	siege.destroy();
	clearInterval(watch);
	const after = await probe(url, CALM_SECONDS);
	const leftMib = memoryMib(pid);

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
	if (leftMib > before.mib + MAX_LEFT_MIB) {
		failures.push(`memory ${leftMib} MiB is not given back`);
	}
	const row = (label: string, unit: string, ...values: readonly number[]) =>
		figures.set(
			label,
			`${values.map((value) => value.toFixed(0)).join(" / ")} ${unit}`,
		);
	row("hostile connections at a time / in all", "", siege.most, siege.made);
	figures.set("all closed by the server after", `${closedAfter} s`);
	row("p50 calm / under / after", "ms", calm.p50, under.p50, after.p50);
	row("p99 calm / under / after", "ms", calm.p99, under.p99, after.p99);
	row("memory before / most / after", "MiB", before.mib, peakMib, leftMib);
	return failures;
}

/** Connections of every manner, each replaced as soon as the server closes it. */
class Siege {
	readonly #sockets = new Map<Socket, Manner>();
	/** The longest time in seconds that the server kept a connection of each manner. */
	readonly longest = new Map<string, number>();
	most = 0;
	made = 0;

	constructor(
		readonly port: number,
		readonly size: number,
	) {}

	/** Keeps the connections up and sends what their manner says, for so many seconds. */
	async hold(seconds: number): Promise<void> {
		const plan = manners.flatMap((manner) =>
			Array.from({ length: manner.share }, () => manner),
		);
		const endMs = performance.now() + seconds * 1_000;
		let dripMs = 0;
		while (performance.now() < endMs) {
			const missing = this.size - this.#sockets.size;
			for (let at = 0; at < Math.min(missing, OPENED_AT_ONCE); at++) {
				// 37 has no factor in common with the plan's length, so that manners mix.
				const manner = plan[(this.made * 37) % plan.length];
				if (manner !== undefined) this.#connect(manner);
			}
			this.most = Math.max(this.most, this.#sockets.size);
			if (performance.now() - dripMs >= 1_000) {
				dripMs = performance.now();
				for (const [socket, { drip }] of this.#sockets) {
					if (drip && socket.writable) socket.write(drip, "latin1");
				}
			}
			await Bun.sleep(100);
		}
	}

	/** Ends what is left. */
	destroy(): void {
		const left = [...this.#sockets.keys()];
		this.#sockets.clear();
		for (const socket of left) socket.destroy();
	}

	#connect(manner: Manner): void {
		const { port } = this;
		const sinceMs = performance.now();
		const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
		this.made++;
		this.#sockets.set(socket, manner);
		socket.on("connect", () => {
			socket.write(manner.first, "latin1");
			if (manner.isHalfClosed) socket.end();
		});
		if (manner.isDeaf) socket.pause();
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

interface Probed {
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

/** How many files this process may have open; Bun raises it to the hard limit. */
function maxOpenFiles(): number {
	const limits = readFileSync("/proc/self/limits", "utf8");
	return Number(/Max open files\s+(\d+)/.exec(limits)?.[1] ?? 1024);
}
