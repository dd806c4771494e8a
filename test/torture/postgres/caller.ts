import { pickOne, type Random } from "../../../src/lib/random.ts";
import type { Body } from "../../support/body.ts";
import type { Answers } from "./answers.ts";

/** How long an answer is waited for. */
const PATIENCE_MS = 10_000;

/** No answer came: the instance, or the way to it, is gone. */
export class Cut extends Error {}

/** An answer to a call. */
export interface Answer {
	readonly status: number;
	readonly body: Body;
	/** 503 that says that nothing has happened. */
	readonly isRefused: boolean;
	/** 503 that says that it does not know. */
	readonly isUnknown: boolean;
}

/** A call to be made. */
export interface Ask {
	readonly method: string;
	readonly path: string;
	readonly key?: string;
	readonly body?: object;
}

/** Calls instances and notes how they answer. */
export class Caller {
	/** @param urls of the instances; null for one that is not there just now */
	constructor(
		readonly answers: Answers,
		readonly urls: readonly (string | null)[],
	) {}

	/** An instance that is there, other than one of them; null when there is none. */
	pick(random: Random, except?: number): number | null {
		const there = [...this.urls.keys()].filter(
			(at) => this.urls[at] !== null && at !== except,
		);
		return there.length === 0 ? null : pickOne(random, there);
	}

	/** @throws Cut */
	async ask(at: number, { method, path, key, body }: Ask): Promise<Answer> {
		const url = this.urls[at];
		if (url == null) throw new Cut();
		const startedMs = performance.now();
		let response: Response;
		let text: string;
		try {
			response = await fetch(url + path, {
				method,
				// A kept connection would be tried anew by the runtime when it is found closed.
				keepalive: false,
				signal: AbortSignal.timeout(PATIENCE_MS),
				headers: {
					"content-type": "application/json",
					...(key !== undefined && { authorization: `Bearer ${key}` }),
				},
				...(body !== undefined && { body: JSON.stringify(body) }),
			});
			text = await response.text();
		} catch (error) {
			if (error instanceof Error && error.name === "TimeoutError") {
				this.answers.fail(`${method} ${path}: no answer`);
			}
			throw new Cut(`${method} ${path}`, { cause: error });
		}
		const { status, headers } = response;
		const tookMs = performance.now() - startedMs;
		const what = `${method} ${path.replace(/[0-9a-f-]{36}/, ":id")}`;
		this.answers.record(at, what, { tookMs, status });
		const answer = JSON.parse(text) as Body;
		if (status === 503 && !(Number(headers.get("retry-after")) >= 1)) {
			this.answers.fail(`${what}: 503 without Retry-After`);
		}
		if (status >= 500 && status !== 503) {
			this.answers.fail(`${what}: ${status} ${text.slice(0, 200)}`);
		}
		const isUnknown = status === 503 && /not known/.test(answer.hint ?? "");
		const isRefused = status === 503 && !isUnknown;
		return { status, body: answer, isRefused, isUnknown };
	}
}
