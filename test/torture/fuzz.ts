import fc from "fast-check";
import { type Memory, memoryOf } from "../../bench/process.ts";
import type { OpenApiDocument } from "../../src/guide/openapi.ts";
import { requireDocumented } from "../support/conformance.ts";
import { type Serving, temporaryFolder } from "../support/executable.ts";
import { LEAK } from "../support/leak.ts";
import { Guests, type Sent } from "./fuzz-guests.ts";
import { Line } from "./fuzz-line.ts";
import { type Drawn, hasDots, pathOf, requestsOf } from "./fuzz-requests.ts";
import {
	counted,
	type Part,
	percentile,
	type Report,
	serveApart,
} from "./part.ts";

const ROUND = 10_000;
const BATCH = 1_000;
const IN_FLIGHT = 64;
const MAX_FAILURES = 20;
/** Characters of a failure that are told. */
const MAX_TOLD = 1_500;
/** No request may take longer, on a machine that does other things beside. */
const MAX_MS = 10_000;
/** How large the head of a request may be. */
const MAX_HEAD_BYTES = 16 * 1024;
/**
 * How much more memory the server may have allocated at the end than at half time. What it has mapped is left out:
 * that is the program and the database, which the system takes back at any time.
 */
const MAX_GROWTH_MIB = 48;

/** Sends what the OpenAPI document describes and what it does not, over keep-alive connections. */
export const fuzz: Part = {
	name: "fuzz",
	about: `good and broken requests are answered as the OpenAPI document says; a round is ${counted(ROUND)} requests`,
	async run({ seed, stop, goesOn }) {
		using folder = temporaryFolder();
		const server = await serveApart("resort.sqlite", { cwd: folder.path });
		const response = await fetch(`${server.url}/openapi.json`);
		const document = (await response.json()) as OpenApiDocument;
		const run = new Run(server.url, document, stop);
		const memory: Memory[] = [];
		for (let done = 0; run.isSound && goesOn(done); done++) {
			await run.round(seed + done);
			memory.push(memoryOf(server.pid));
		}
		return await judge(run, memory, () => server.stop());
	},
};

/** One fuzz of one server. */
class Run {
	readonly failures: string[] = [];
	readonly statuses = new Map<number, number>();
	readonly tookMs: number[] = [];
	readonly #guests = new Guests();
	readonly #requests: fc.Arbitrary<Drawn>;
	readonly #port: number;

	constructor(
		readonly url: string,
		readonly document: OpenApiDocument,
		readonly stop: AbortSignal,
	) {
		this.#requests = requestsOf(document);
		this.#port = Number(new URL(url).port);
	}

	/** Whether it is worth going on. */
	get isSound(): boolean {
		return this.failures.length < MAX_FAILURES;
	}

	/** Sends a round of requests, many at a time; fewer when it is told to stop. */
	async round(seed: number): Promise<void> {
		let queue: Drawn[] = [];
		let drawn = 0;
		const next = (): Drawn | undefined => {
			if (this.stop.aborted) return undefined;
			const tidy = this.#guests.tidy();
			if (tidy !== null) return tidy;
			if (queue.length === 0 && drawn < ROUND) {
				queue = fc.sample(this.#requests, {
					numRuns: BATCH,
					seed: Math.imul(seed, ROUND) + drawn,
				});
				drawn += BATCH;
			}
			return queue.pop();
		};
		const worker = async () => {
			const line = new Line(this.#port);
			for (let one = next(); one && this.isSound; one = next()) {
				const sent = this.#guests.fill(one);
				await this.#send(line, one, sent)
					.catch((error) => {
						this.#fail(one, String(error));
					})
					.finally(() => this.#guests.done(one, sent));
			}
			line.close();
		};
		await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
	}

	async #send(line: Line, drawn: Drawn, sent: Sent): Promise<void> {
		const { method, target } = sent;
		const startedAt = performance.now();
		// The runtime itself refuses such a head, and hangs up while it is still sent.
		const mayHangUp = target.length > MAX_HEAD_BYTES / 2;
		const answer = await line.send(sent, 2 * MAX_MS).catch((error) => {
			if (mayHangUp) return null;
			throw error;
		});
		if (answer === null) return;
		const tookMs = performance.now() - startedAt;
		this.tookMs.push(tookMs);
		const { status, text } = answer;
		this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
		const contentType = answer.field("content-type") ?? "";
		if (tookMs > MAX_MS) this.#fail(drawn, `took ${tookMs.toFixed(0)} ms`);
		if (status >= 500) this.#fail(drawn, `answered ${status} ${text}`);
		if (status >= 400 && LEAK.test(text)) this.#fail(drawn, `told ${text}`);
		if (method === "HEAD") return;
		if (status === 431 && mayHangUp) return;
		const path = pathOf(target);
		// A path that cannot be read as it came is refused.
		if (status === 400 && hasDots(target) && isError(text)) return;
		const isKnown = requireDocumented(this.document, method, path, {
			status,
			contentType,
			text,
		});
		// Pages are not in the document.
		const isPage = contentType.startsWith("text/html");
		if (!isKnown && !isPage && (status !== 404 || !isError(text))) {
			this.#fail(drawn, `is not in the document, answered ${status} ${text}`);
		}
		const schemes = this.#schemesOf(drawn);
		const isOk = status >= 200 && status < 300;
		if (isOk && schemes.length > 0 && isRevoked(drawn)) {
			this.#fail(drawn, `was taken: ${status}`);
		}
		if (
			status === 401 &&
			schemes.includes("bearerKey") &&
			this.#guests.hadGoodKey(sent)
		) {
			this.#fail(drawn, `refused a good key: ${text}`);
		}
		// A reading teaches nothing.
		if (!isOk || method === "GET") return;
		const cookie = answer.field("set-cookie");
		const isJson = contentType === "application/json";
		this.#guests.learn(drawn, sent, isJson ? JSON.parse(text) : {}, cookie);
	}

	/** The credentials that the operation of a request takes, by the document. */
	#schemesOf({ method, template }: Drawn): string[] {
		const methods = this.document.paths[template ?? ""];
		const { security = [] } = methods?.[method.toLowerCase()] ?? {};
		const isOptional = security.some((one) => Object.keys(one).length === 0);
		return isOptional ? [] : security.flatMap(Object.keys);
	}

	#fail(drawn: Drawn, what: string): void {
		const told = `${JSON.stringify(drawn)}: ${what}`;
		// What is long says the same all the time.
		const short = told.replace(/(.{1,4})\1{20,}/g, "$1…");
		this.failures.push(short.slice(0, MAX_TOLD));
	}
}

/** Whether a request is sent with what has been replaced or ended. */
function isRevoked({ credential }: Drawn): boolean {
	return credential === "revoked key" || credential === "revoked session";
}

function isError(text: string): boolean {
	return typeof JSON.parse(text).error === "string";
}

async function judge(
	run: Run,
	memory: readonly Memory[],
	stop: () => ReturnType<Serving["stop"]>,
): Promise<Report> {
	const failures = [...run.failures];
	const health = await fetch(`${run.url}/api/health`).then(
		({ status }) => status,
		String,
	);
	if (health !== 200) failures.push(`health answers ${health}`);
	const { exitCode, stderr } = await stop();
	if (exitCode !== 0) failures.push(`the server ended with ${exitCode}`);
	if (stderr !== "") failures.push(`it logged ${stderr.slice(0, 2_000)}`);
	const at = (share: number) =>
		memory[Math.ceil(share * memory.length) - 1] ?? { own: 0, mapped: 0 };
	const growth = at(1).own - at(0.5).own;
	if (growth > MAX_GROWTH_MIB) {
		failures.push(`memory grew by ${growth.toFixed(0)} MiB in the second half`);
	}
	const ms = (share: number) =>
		`${percentile(run.tookMs, share).toFixed(1)} ms`;
	const statuses = [...run.statuses].sort(([a], [b]) => a - b);
	const figures: Report["figures"] = [
		["requests", counted(run.tookMs.length)],
		...statuses.map(
			([status, count]) => [`answered ${status}`, counted(count)] as const,
		),
		...[0.25, 0.5, 0.75, 1].map(
			(share) =>
				[
					`memory and mapped files at ${share * 100} %`,
					`${at(share).own.toFixed(0)} MiB, ${at(share).mapped.toFixed(0)} MiB`,
				] as const,
		),
		[`${IN_FLIGHT} in flight: half within`, ms(0.5)],
		["99 % within", ms(0.99)],
		["all within", ms(1)],
	];
	return { figures, failures };
}
