import { pickOne, type Random } from "../../src/core/lib/random.ts";
import type { Body } from "../support/body.ts";
import { toRequest } from "../support/calls.ts";
import type { Answers } from "./answers.ts";

const TIMEOUT_MS = 10_000;

/** Thrown if a call has no response, because the instance or the network is not available. */
export class Cut extends Error {}

/** An answer to a call. */
export interface Answer {
	readonly status: number;
	readonly body: Body;
	/**
	 * Whether this is a 503 that says that the outcome is unknown. Other 503s mean that nothing was changed.
	 */
	readonly isUnknown: boolean;
}

/** A call. Without `method`, it is a POST if it has a body, otherwise a GET. */
export interface Ask {
	readonly path: string;
	readonly method?: string;
	readonly key?: string;
	readonly body?: object;
}

let calls = 0;

/** Returns the next of 4,096 client addresses in turn, for an instance that trusts `X-Forwarded-For`. */
export function nextAddress(): string {
	calls++;
	return `10.0.${(calls >> 8) & 15}.${calls & 255}`;
}

/** Calls instances, and records their responses. */
export class Caller {
	/** @param urls the URLs of the instances; null for an instance that does not run at the moment */
	constructor(
		readonly answers: Answers,
		readonly urls: (string | null)[],
	) {}

	/**
	 * Returns the index of a random running instance other than `except`; null if there is none. If the test
	 * has only one instance, `except` is ignored.
	 */
	pick(random: Random, except?: number): number | null {
		const there = [...this.urls.keys()].filter((at) => this.urls[at] !== null);
		const others = there.filter((at) => at !== except);
		const isAlone = this.urls.length === 1;
		const from = isAlone ? there : others;
		return from.length === 0 ? null : pickOne(random, from);
	}

	/** @throws Cut if there is no response */
	async ask(at: number, { path, method, key, body }: Ask): Promise<Answer> {
		const url = this.urls[at];
		if (url == null) throw new Cut();
		const verb = method ?? (body === undefined ? "GET" : "POST");
		const what = `${verb} ${path.replace(/[0-9a-f-]{36}/, ":id")}`;
		const startedMs = performance.now();
		let response: Response;
		let text: string;
		try {
			const headers = { "x-forwarded-for": nextAddress() };
			response = await fetch(toRequest(url, verb, path, { body, key, headers }), {
				// Opens a connection for each call: if a reused one breaks, the runtime sends the request again.
				keepalive: false,
				signal: AbortSignal.timeout(TIMEOUT_MS),
			});
			text = await response.text();
		} catch (error) {
			if (error instanceof Error && error.name === "TimeoutError") {
				this.answers.fail(`${what}: no answer`);
			}
			throw new Cut(what, { cause: error });
		}
		const { status, headers } = response;
		const tookMs = performance.now() - startedMs;
		this.answers.record(at, what, { tookMs, status });
		const answer = JSON.parse(text) as Body;
		if (status === 503 && !(Number(headers.get("retry-after")) >= 1)) {
			this.answers.fail(`${what}: 503 without Retry-After`);
		}
		if (status >= 500 && status !== 503) {
			this.answers.fail(`${what}: ${status} ${text.slice(0, 200)}`);
		}
		const isUnknown = status === 503 && /not known/.test(answer.hint ?? "");
		return { status, body: answer, isUnknown };
	}
}
