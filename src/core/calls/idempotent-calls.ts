import { sha256 } from "../lib/credential.ts";
import { invalid, ResortError } from "../lib/resort-error.ts";
import type { Caller } from "../resort/caller.ts";
import type { Context } from "../resort/context.ts";
import { findAnswer, keepAnswer, keyHashOf, type RepeatableCall } from "../resort/idempotency/service.ts";
import type { Task } from "../store/task.ts";
import type { Answer, Call } from "./call.ts";
import { ResponseBody } from "./response-body.ts";

/**
 * The minimum length of the idempotency key of a registration. Whoever repeats the registration with the same
 * idempotency key gets the same answer with the new API key, so the idempotency key must be hard to guess. A
 * UUID is longer.
 */
const MIN_SECRET_LENGTH = 32;

/**
 * The answer is encrypted with the idempotency key, so a short one would protect it from nobody who has the
 * database.
 */
const SHAPE = /^[ -~]{16,255}$/;

/** Runs a call only once, and returns its answer again to each repetition with the same idempotency key. */
export class IdempotentCalls {
	/** The running calls, by the hash of their idempotency keys. */
	readonly #running = new Map<string, Promise<unknown>>();

	/**
	 * Runs a call with an idempotency key, or returns the answer of its first run.
	 * @param admit counts a new call, and throws an error if the call may not run; it is not called for a
	 * repetition
	 * @param run makes the change and returns the answer; it is called inside a transaction
	 * @param revoke undoes `admit`; called if another instance has answered the same call in the meantime
	 * @throws ResortError `invalid` for a malformed key; `unprocessable` if the key was used for another call
	 */
	async answer(
		context: Context,
		call: Call,
		caller: Caller | null,
		steps: {
			readonly admit: () => Promise<void>;
			readonly run: () => Task<Answer>;
			readonly revoke: () => Promise<void>;
		},
	): Promise<Answer> {
		const repeatable = readRepeatable(call, caller);
		const name = keyHashOf(repeatable).toHex();
		// Calls with the same key wait for each other, so that only the first one runs and is counted.
		for (;;) {
			const earlier = this.#running.get(name);
			if (earlier === undefined) break;
			await earlier.catch(() => {});
		}
		const running = answerOnce(context, repeatable, name, caller, steps);
		this.#running.set(name, running);
		try {
			return await running;
		} finally {
			this.#running.delete(name);
		}
	}
}

async function answerOnce(
	context: Context,
	repeatable: RepeatableCall,
	name: string,
	caller: Caller | null,
	{ admit, run, revoke }: Parameters<IdempotentCalls["answer"]>[3],
): Promise<Answer> {
	const { store } = context;
	const kept = await store.read(() => findAnswer(context, repeatable));
	if (kept !== null) return restore(kept);
	await admit();
	const { answer, isRepeated } = await store.write(function* () {
		yield* store.lock(`idempotency key ${name}`);
		const meanwhile = yield* findAnswer(context, repeatable);
		if (meanwhile !== null) {
			return { answer: restore(meanwhile), isRepeated: true };
		}
		const answer = yield* run();
		const kept = toText(answer);
		const agentId = caller?.agent.id ?? registeredId(kept);
		yield* keepAnswer(context, repeatable, kept, agentId);
		return { answer, isRepeated: false };
	});
	if (isRepeated) await revoke();
	return answer;
}

/**
 * Reads the idempotency key of a call.
 * @throws ResortError `invalid` if it is malformed
 */
function readRepeatable(call: Call, caller: Caller | null): RepeatableCall {
	const { idempotencyKey: key = "", operation, params, body, address } = call;
	if (key instanceof ResortError) throw key;
	if (!SHAPE.test(key)) {
		throw malformed("must be 16 to 255 printable ASCII characters");
	}
	if (caller === null && key.length < MIN_SECRET_LENGTH) {
		throw malformed(`must have at least ${MIN_SECRET_LENGTH} characters for a registration`);
	}
	return {
		scope: caller?.agent.id ?? sha256(`network ${address()}`).toHex(),
		key,
		request: JSON.stringify([operation.id, params, body]),
	};
}

function malformed(requirement: string): ResortError {
	return invalid(`Idempotency-Key ${requirement}`, {
		hint: "Use a random value, such as a UUID.",
	});
}

/**
 * Converts a successful answer to a text, from which {@link restore} creates the answer again.
 * @throws Error if the body is a Blob, which is too large to store
 */
function toText({ status, headers, body, next }: Answer): string {
	const { plain } = body instanceof ResponseBody ? body : { plain: "" };
	if (plain instanceof Blob) throw new Error("the response is too large to store");
	const text = typeof plain === "string" ? plain : Buffer.from(plain).toString();
	return JSON.stringify({ status, headers, text, next });
}

/** Returns the agent in the answer to a registration; null if the call has only suggested an identity. */
function registeredId(kept: string): string | null {
	return JSON.parse(JSON.parse(kept).text).agent?.id ?? null;
}

function restore(kept: string): Answer {
	const { text, ...answer } = JSON.parse(kept);
	return { ...answer, body: ResponseBody.of(text), etag: null, failure: null };
}
