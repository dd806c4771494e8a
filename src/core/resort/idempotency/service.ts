/**
 * Repeated calls (draft-ietf-httpapi-idempotency-key-header-07). The answer to a call with an idempotency key
 * is stored in the same transaction as the change that the call makes. A repeated call gets the same answer.
 * The database reveals neither the idempotency key nor the answer, which may contain an API key: the row
 * contains only a hash of the idempotency key, and the answer is encrypted with an encryption key derived
 * from the idempotency key.
 */
import { MINUTE_MS } from "../../lib/clock.ts";
import { sha256 } from "../../lib/credential.ts";
import { ResortError } from "../../lib/resort-error.ts";
import { deriveKey, openText, sealText } from "../../lib/sealed-text.ts";
import type { Task } from "../../store/task.ts";
import type { ServiceContext } from "../service-context.ts";
import { answerOfKey, deleteBeyond, deleteExpiredKeys, deleteKeyed, insertAnswer } from "./queries.ts";

/** How long an answer is kept. */
const KEPT_MS = 10 * MINUTE_MS;

/** The maximum number of answers kept for each scope (see {@link RepeatableCall.scope}). */
const MAX_KEPT = 100;

/** A call with an idempotency key. */
export interface RepeatableCall {
	/**
	 * The id of the agent that makes the call; for a registration, a text that identifies the caller's network.
	 */
	readonly scope: string;
	/** The idempotency key without its quotation marks. */
	readonly key: string;
	/** The operation and its input, as JSON. A later call with the same key but another request is refused. */
	readonly request: string;
}

/**
 * Returns the hash of an idempotency key and its scope. The same key has different hashes in different
 * scopes.
 */
export function keyHashOf({ scope, key }: RepeatableCall): Uint8Array {
	return sha256(`${scope} ${key}`);
}

/**
 * Finds the answer to an earlier call with the same key.
 * @returns the answer; null if there was no such call
 * @throws ResortError `unprocessable` if the key was used for another call
 */
export function* findAnswer({ store, clock }: ServiceContext, call: RepeatableCall): Task<string | null> {
	const keyHash = keyHashOf(call);
	const found = yield* answerOfKey(store).get({ keyHash, nowMs: clock() });
	if (found === undefined) return null;
	const text = openText(found.sealedAnswer, sealingKey(call), keyHash);
	const { requestHash, answer } = JSON.parse(text ?? "{}");
	if (requestHash === hashOf(call.request)) return answer;
	throw new ResortError("unprocessable", "This idempotency key was used for another call", {
		hint: "Use a new key for each new call, and the same one only to repeat a call unchanged.",
	});
}

/**
 * Stores the answer to a call, and deletes the oldest answers of the scope if there are more than
 * {@link MAX_KEPT}. Call it inside the transaction of the change that the call makes.
 * @param agentId the agent that made the call, or that the registration created; null if it created none
 */
export function* keepAnswer(
	{ store, clock }: ServiceContext,
	call: RepeatableCall,
	answer: string,
	agentId: string | null,
): Task<void> {
	const { scope, request } = call;
	const keyHash = keyHashOf(call);
	const text = JSON.stringify({ requestHash: hashOf(request), answer });
	// Deletes an expired answer with the same key.
	yield* deleteKeyed(store).run({ keyHash });
	yield* insertAnswer(store).run({
		keyHash,
		scope,
		agentId,
		sealedAnswer: sealText(text, sealingKey(call), keyHash),
		expiresAt: clock() + KEPT_MS,
	});
	yield* deleteBeyond(store).run({ scope, most: MAX_KEPT });
}

/** Deletes the expired answers. Call it inside a transaction. */
export function* deleteExpiredAnswers({ store, clock }: ServiceContext): Task<void> {
	yield* deleteExpiredKeys(store).run({ nowMs: clock() });
}

function sealingKey({ key }: RepeatableCall): Uint8Array {
	return deriveKey(key, "resort idempotency key");
}

function hashOf(text: string): string {
	return sha256(text).toHex();
}
