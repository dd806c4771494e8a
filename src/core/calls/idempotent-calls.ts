/**
 * Repeated calls (draft-ietf-httpapi-idempotency-key-header-07). The answer to a call with an idempotency key
 * is stored in the same transaction as the change that the call makes. A repeated call gets the same answer.
 * The database reveals neither the idempotency key nor the answer, which may contain an API key: the row
 * contains only a hash of the idempotency key, and the answer is encrypted with an encryption key derived
 * from the idempotency key.
 */
import { MINUTE_MS } from "../lib/clock.ts";
import { sha256 } from "../lib/credential.ts";
import { invalid, ResortError } from "../lib/resort-error.ts";
import { deriveKey, openText, sealText } from "../lib/sealed-text.ts";
import { toVisibleJson } from "../lib/text.ts";
import { answerOfKey, deleteBeyond, deleteKeyed, insertAnswer } from "../resort/idempotency/queries.ts";
import type { ServiceContext } from "../resort/service-context.ts";
import type { Task } from "../store/task.ts";
import { type Answer, createAnswer, WrittenBody } from "./answer.ts";
import type { Call, ValidCall } from "./call.ts";

/**
 * The minimum length of the idempotency key of a registration. The key must be hard to guess, because whoever
 * repeats the registration with this key gets the new API key. A UUID is longer.
 */
const MIN_SECRET_LENGTH = 32;

/**
 * The shape of an idempotency key. The answer is encrypted with the key, so a short key would not protect the
 * answer.
 */
const SHAPE = /^[ -~]{16,255}$/;

/** The time for which an answer is kept. */
const KEPT_MS = 10 * MINUTE_MS;

/** The maximum number of answers kept for each scope (see {@link readKey}). */
const MAX_KEPT = 100;

/** The idempotency key of a call, with the scope of the key and the hash of the request. */
type KeyedCall = ReturnType<typeof readKey>;

/** Runs a call only once, and returns its answer again to each repetition with the same idempotency key. */
export class IdempotentCalls {
	/** The running calls, by the hash of their idempotency keys. */
	readonly #running = new Map<string, Promise<unknown>>();

	/**
	 * Runs the task `write` of a call with an idempotency key, or returns the answer of its first run.
	 * @param limited runs the call if its limits admit it; not called for a repetition
	 * @throws ResortError `invalid` for a malformed key; `unprocessable` if the key was used for another call
	 */
	async run(
		call: Call,
		valid: ValidCall,
		write: (input: ValidCall["input"]) => Task<object>,
		limited: (run: () => Promise<Answer>) => Promise<Answer>,
	): Promise<Answer> {
		const { context, caller } = valid.input;
		const { store } = context;
		const keyed = readKey(call, valid);
		const name = keyed.keyHash.toHex();
		// Calls with the same key wait for each other, so that only the first one runs and is counted.
		while (this.#running.has(name)) await this.#running.get(name)?.catch(() => {});
		const running = answerOnce();
		this.#running.set(name, running);
		try {
			return await running;
		} finally {
			this.#running.delete(name);
		}

		async function answerOnce(): Promise<Answer> {
			const kept = await store.read(() => findAnswer(context, keyed));
			return kept ?? limited(() => store.write(writeOnce));
		}

		function* writeOnce(): Task<Answer> {
			yield* store.lock(`idempotency key ${name}`);
			// Another instance may have answered the same call in the meantime.
			const kept = yield* findAnswer(context, keyed);
			if (kept !== null) return kept;
			const answer = createAnswer(call, valid, yield* write(valid.input));
			return yield* keepAnswer(context, keyed, answer, caller?.agent.id ?? null);
		}
	}
}

/** Reads the idempotency key of a call. @throws ResortError `invalid` if it is malformed */
function readKey({ idempotencyKey: key = "", operation, params, address }: Call, valid: ValidCall) {
	const { caller, body } = valid.input;
	if (key instanceof ResortError) throw key;
	if (!SHAPE.test(key)) {
		throw malformed("must be 16 to 255 printable ASCII characters");
	}
	if (caller === null && key.length < MIN_SECRET_LENGTH) {
		throw malformed(`must have at least ${MIN_SECRET_LENGTH} characters for a registration`);
	}
	const scope = caller?.agent.id ?? sha256(`network ${address()}`).toHex();
	return {
		/** The id of the calling agent; for a registration, a text that identifies the caller's network. */
		scope,
		/** The idempotency key without its quotation marks. */
		key,
		/** The hash of the scope and the key. The same key has different hashes in different scopes. */
		keyHash: sha256(`${scope} ${key}`),
		/**
		 * The hash of the operation and its input. A later call with the same key but another hash is refused.
		 * The hash is computed from the validated body, so that a repetition may differ in white space, in the
		 * order of fields and in ignored fields.
		 */
		requestHash: sha256(JSON.stringify([operation.id, params, body])).toHex(),
	};
}

function malformed(requirement: string): ResortError {
	return invalid(`Idempotency-Key ${requirement}`, { hint: "Use a random value, such as a UUID." });
}

/**
 * Finds the answer to an earlier call with the same key; null if there was none.
 * @throws ResortError `unprocessable` if the key was used for another call
 */
function* findAnswer({ store, clock }: ServiceContext, keyed: KeyedCall): Task<Answer | null> {
	const { keyHash } = keyed;
	const found = yield* answerOfKey(store).get({ keyHash, nowMs: clock() });
	if (found === undefined) return null;
	const kept = openText(found.sealedAnswer, sealingKey(keyed), keyHash);
	const { requestHash, answer } = JSON.parse(kept ?? "{}");
	if (requestHash !== keyed.requestHash) {
		throw new ResortError("unprocessable", "This idempotency key was used for another call", {
			hint: "Use a new key for each new call, and the same one only to repeat a call unchanged.",
		});
	}
	const { text, ...fields } = JSON.parse(answer);
	return { ...fields, body: WrittenBody.of(text), failure: null, isRepeated: true };
}

/**
 * Stores the answer to a call, and deletes the oldest answers of the scope beyond {@link MAX_KEPT}.
 * @param callerId null for a registration; the stored row then contains the id of the new agent
 * @returns the answer with its body as the stored text, which repetitions also get
 */
function* keepAnswer(
	{ store, clock }: ServiceContext,
	keyed: KeyedCall,
	answer: Answer,
	callerId: string | null,
): Task<Answer> {
	const { status, headers, body, next } = answer;
	const { scope, keyHash, requestHash } = keyed;
	const text = toVisibleJson(body);
	const kept = JSON.stringify({ requestHash, answer: JSON.stringify({ status, headers, text, next }) });
	// Deletes an expired answer with the same key.
	yield* deleteKeyed(store).run({ keyHash });
	yield* insertAnswer(store).run({
		keyHash,
		scope,
		agentId: callerId ?? (body as { readonly agent?: { readonly id: string } }).agent?.id ?? null,
		sealedAnswer: sealText(kept, sealingKey(keyed), keyHash),
		expiresAt: clock() + KEPT_MS,
	});
	yield* deleteBeyond(store).run({ scope, most: MAX_KEPT });
	return { ...answer, body: WrittenBody.of(text) };
}

function sealingKey({ key }: KeyedCall): Uint8Array {
	return deriveKey(key, "resort idempotency key");
}
