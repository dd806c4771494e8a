import { ResortError } from "../lib/resort-error.ts";
import type { Input, Operation } from "../resort/operation.ts";
import { DocumentReply, type Reply, toReply } from "../resort/reply.ts";
import { Body } from "./body.ts";
import type { LongLists } from "./long-lists.ts";
import type { Reading, Ready, ReadyAnswers } from "./ready.ts";
import { schemaOf } from "./render.ts";

/** An answer that is asked for, and how it is made. */
export interface Wanted {
	/** What it is kept by; see `keyOf`. */
	readonly key: string;
	readonly operation: Operation;
	readonly input: Input;
	/** Runs the operation. */
	readonly run: () => Promise<object>;
	/** Makes the header fields of its answer from those that it says itself. */
	readonly headersOf: (own: Readonly<Record<string, string>>) => Headers;
}

/** An answer that is being made. */
interface Flight {
	readonly reading: Reading;
	readonly made: Promise<Ready>;
}

/** Gives ready answers, and makes those that are not there, once for all who wait. */
export class Making {
	readonly #ready: ReadyAnswers;
	readonly #lists: LongLists;
	readonly #flights = new Map<string, Flight>();

	constructor(ready: ReadyAnswers, lists: LongLists) {
		this.#ready = ready;
		this.#lists = lists;
	}

	/**
	 * An answer with status 200.
	 * @throws what the operation throws; ResortError `rate_limited` for a long list that is made too often
	 */
	async get(wanted: Wanted): Promise<Ready> {
		const { key, operation, input } = wanted;
		const found = this.#ready.find(key, input.context.clock());
		if (found !== undefined) return found;
		for (
			let flight = this.#flights.get(key);
			flight !== undefined && this.#ready.holds(key, flight.reading);
			flight = this.#flights.get(key)
		) {
			try {
				return await flight.made;
			} catch (error) {
				if (!(error instanceof ResortError)) throw error;
				// It is the limit or the deadline of another caller, who asked first.
				if (error.code === "unavailable") break;
				if (error.code !== "rate_limited") throw error;
			}
		}
		const reading = this.#ready.begin(operation);
		const made = this.#make(wanted, reading)
			.then((answer) => {
				this.#ready.keep(key, answer, reading);
				return answer;
			})
			.finally(() => {
				if (this.#flights.get(key)?.made === made) this.#flights.delete(key);
			});
		this.#flights.set(key, { reading, made });
		return made;
	}

	async #make(wanted: Wanted, { ended, times }: Reading): Promise<Ready> {
		const { operation, input, run, headersOf } = wanted;
		const fromMs = input.context.clock();
		const reply = toReply(await run());
		const { untilMs = always, headers = {} } = reply.details;
		const body = await this.#render(wanted, reply);
		return {
			kind: operation,
			body,
			headers: headersOf(
				reply instanceof DocumentReply
					? { "content-type": reply.document.mediaType, ...headers }
					: headers,
			),
			hasEtag: !operation.isFresh,
			fromMs,
			untilMs: untilMs(),
			ended,
			times,
			size: body.size,
			isHot: false,
		};
	}

	async #render({ operation, input }: Wanted, reply: Reply): Promise<Body> {
		if (reply instanceof DocumentReply) {
			const { content } = reply.document;
			return typeof content === "string"
				? Body.of(content)
				: Body.packed(content);
		}
		const schema = schemaOf(operation, 200, input.query);
		return this.#lists.render(schema, reply.body, input.address);
	}
}

function always(): number {
	return Number.POSITIVE_INFINITY;
}
