import { ResortError } from "../lib/resort-error.ts";
import type { Input, Operation } from "../resort/operation.ts";
import { DocumentReply, type Reply, toReply } from "../resort/reply.ts";
import { Body } from "./body.ts";
import type { Reading, Ready, ReadyAnswers } from "./ready.ts";
import { renderJson, schemaOf } from "./render.ts";

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
	readonly #flights = new Map<string, Flight>();

	constructor(ready: ReadyAnswers) {
		this.#ready = ready;
	}

	/**
	 * An answer with status 200.
	 * @throws what the operation throws
	 */
	async get(wanted: Wanted): Promise<Ready> {
		const { key, operation, input } = wanted;
		const found = this.#ready.find(key, input.context.clock());
		if (found !== undefined) return found;
		const flight = this.#flights.get(key);
		if (flight !== undefined && this.#ready.holds(key, flight.reading)) {
			try {
				return await flight.made;
			} catch (error) {
				// It may be the deadline of another caller, who asked first.
				const isUnavailable =
					error instanceof ResortError && error.code === "unavailable";
				if (!isUnavailable) throw error;
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
		const body = this.#render(wanted, reply);
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

	#render({ operation, input }: Wanted, reply: Reply): Body {
		if (reply instanceof DocumentReply) {
			const { content } = reply.document;
			return typeof content === "string"
				? Body.of(content)
				: Body.packed(content);
		}
		const schema = schemaOf(operation, 200, input.query);
		return Body.of(renderJson(schema, reply.body));
	}
}

function always(): number {
	return Number.POSITIVE_INFINITY;
}
