import fc from "fast-check";
import type { OpenApiDocument } from "../../src/guide/openapi.ts";
import { requireDocumented } from "../support/conformance.ts";
import { serve, temporaryFolder } from "../support/executable.ts";
import { LEAK } from "../support/leak.ts";
import { counted, memoryMib, percentile } from "./figures.ts";
import { Guests, type Sent } from "./fuzz-guests.ts";
import { type Drawn, requestsOf } from "./fuzz-requests.ts";
import type { Part, Report } from "./part.ts";

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
/** How much the memory may be above that of half time at the end. */
const MAX_GROWTH_MIB = 48;

/** Sends what the OpenAPI document describes and what it does not, over keep-alive connections. */
export const fuzz: Part = {
	name: "fuzz",
	about: `good and broken requests are answered as the OpenAPI document says; a round is ${counted(ROUND)} requests`,
	async run(options) {
		using folder = temporaryFolder();
		const server = await serve(
			...([
				["serve", "--port", "0", "--rate-limits", "off"],
				{ cwd: folder.path, env: { RESORT_LOG_LEVEL: "warning" } },
			] as const),
		);
		const response = await fetch(`${server.url}/openapi.json`);
		const document = (await response.json()) as OpenApiDocument;
		const run = new Run(server.url, document);
		const memory: number[] = [];
		for (let done = 0; run.isSound && options.goesOn(done); done++) {
			await run.round(options.seed + done);
			memory.push(memoryMib(server.pid));
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

	constructor(
		readonly url: string,
		readonly document: OpenApiDocument,
	) {
		this.#requests = requestsOf(document);
	}

	/** Whether it is worth going on. */
	get isSound(): boolean {
		return this.failures.length < MAX_FAILURES;
	}

	/** Sends a round of requests, many at a time. */
	async round(seed: number): Promise<void> {
		let queue: Drawn[] = [];
		let drawn = 0;
		const next = (): Drawn | undefined => {
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
			for (let one = next(); one && this.isSound; one = next()) {
				const sent = this.#guests.fill(one);
				await this.#send(one, sent).catch((error) => {
					this.#fail(one, String(error));
				});
			}
		};
		await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
	}

	async #send(drawn: Drawn, sent: Sent): Promise<void> {
		const { method, target, headers, body } = sent;
		const startedAt = performance.now();
		const response = await fetch(this.url + target, {
			method,
			headers,
			body,
			redirect: "manual",
			signal: AbortSignal.timeout(2 * MAX_MS),
		});
		const text = await response.text();
		const tookMs = performance.now() - startedAt;
		this.tookMs.push(tookMs);
		const { status } = response;
		this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
		const contentType = response.headers.get("content-type") ?? "";
		if (tookMs > MAX_MS) this.#fail(drawn, `took ${tookMs.toFixed(0)} ms`);
		if (status >= 500) this.#fail(drawn, `answered ${status} ${text}`);
		if (status >= 400 && LEAK.test(text)) this.#fail(drawn, `told ${text}`);
		if (method === "HEAD") return;
		// The runtime itself refuses such a head, before the application sees it.
		if (status === 431 && target.length > MAX_HEAD_BYTES / 2) return;
		// The client has resolved dots.
		const path = new URL(this.url + target).pathname;
		const isKnown = requireDocumented(this.document, method, path, {
			status,
			contentType,
			text,
		});
		if (!isKnown && (status !== 404 || !isError(text))) {
			this.#fail(drawn, `is not in the document, answered ${status} ${text}`);
		}
		if (!response.ok) return;
		const cookie = response.headers.get("set-cookie");
		const isJson = contentType === "application/json";
		this.#guests.learn(drawn, sent, isJson ? JSON.parse(text) : {}, cookie);
	}

	#fail(drawn: Drawn, what: string): void {
		const told = `${JSON.stringify(drawn)}: ${what}`;
		// What is long says the same all the time.
		const short = told.replace(/(.{1,4})\1{20,}/g, "$1…");
		this.failures.push(short.slice(0, MAX_TOLD));
	}
}

function isError(text: string): boolean {
	return typeof JSON.parse(text).error === "string";
}

async function judge(
	run: Run,
	memory: readonly number[],
	stop: () => ReturnType<Awaited<ReturnType<typeof serve>>["stop"]>,
): Promise<Report> {
	const failures = [...run.failures];
	const health = await fetch(`${run.url}/api/health`);
	if (health.status !== 200) failures.push(`health answers ${health.status}`);
	const { exitCode, stderr } = await stop();
	if (exitCode !== 0) failures.push(`the server ended with ${exitCode}`);
	if (stderr !== "") failures.push(`it logged ${stderr.slice(0, 2_000)}`);
	const at = (share: number) =>
		memory[Math.ceil(share * memory.length) - 1] ?? Number.NaN;
	const growth = at(1) - at(0.5);
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
				[`memory at ${share * 100} %`, `${at(share).toFixed(0)} MiB`] as const,
		),
		[`${IN_FLIGHT} in flight: half within`, ms(0.5)],
		["99 % within", ms(0.99)],
		["all within", ms(1)],
	];
	return { figures, failures };
}
