import { type Static, Type } from "@sinclair/typebox";
import { originalRequest } from "../../core/http/received-request.ts";
import type { RequestObserver } from "../../core/http/send-response.ts";
import { toTimestamp } from "../../core/lib/clock.ts";
import { copyOf } from "../../core/lib/text.ts";
import { Nullable, Timestamp } from "../../core/resort/schemas.ts";

const MAX_CALLS = 10_000;

/** The maximum lengths of a recorded path and query, in characters. A query with a hundred ids has 3,700. */
const MAX_PATH = 256;
const MAX_QUERY = 4_096;

/** A recorded call. */
export const RecordedCall = Type.Object(
	{
		/** Null if the path is unknown. */
		operation: Nullable(Type.String()),
		method: Type.String(),
		path: Type.String(),
		/** The query without its question mark. */
		query: Type.String(),
		/** Null if no agent was authenticated. */
		agentId: Nullable(Type.String()),
		/** Null if a fault or the client closed the connection before the response. */
		status: Nullable(Type.Integer()),
		at: Timestamp,
		requestId: Type.String(),
		/** The id of the fault that affected the call. */
		fault: Nullable(Type.String()),
	},
	{ title: "Call" },
);
export type RecordedCall = Static<typeof RecordedCall>;

/** Keeps in memory the newest {@link MAX_CALLS} calls since the start or the last reset. */
export class CallRecorder {
	/** The calls in the order in which they ended. */
	#calls: { readonly call: RecordedCall; readonly startedAt: number }[] = [];
	/** Calls that began before this value of `performance.now()` belong to an earlier test. */
	#since = 0;

	/** Records a call. Credentials are masked. */
	readonly observe: RequestObserver = (completed, request) => {
		const { method, operation, agentId, status, requestId, fault, startedAt, atMs, isDropped } = completed;
		const target = request.url.slice(request.url.indexOf("/", "https://".length));
		const [path = "", ...search] = target.split("?");
		if (/^\/test(\/|$)/.test(path) || startedAt < this.#since) return;
		const isUnanswered = isDropped || originalRequest(request).signal.aborted;
		const call = {
			operation: operation?.id ?? null,
			method,
			path: copyOf(maskPath(path).slice(0, MAX_PATH)),
			query: copyOf(maskQuery(search.join("?")).slice(0, MAX_QUERY)),
			agentId,
			status: isUnanswered ? null : status,
			at: toTimestamp(atMs),
			// Keeps other long request ids, because few of them are credentials.
			requestId: KEY_START.test(requestId) ? HIDDEN : requestId,
			fault: fault?.id ?? null,
		};
		this.#calls.push({ call, startedAt });
		if (this.#calls.length > MAX_CALLS) this.#calls.shift();
	};

	/** Returns the calls. The call that started last is first. */
	list(): RecordedCall[] {
		return this.#calls
			.toReversed()
			.sort((a, b) => b.startedAt - a.startedAt)
			.map(({ call }) => call);
	}

	/** Removes all calls. Calls that are still running will not be recorded either. */
	clear(): void {
		this.#calls = [];
		this.#since = performance.now();
	}
}

const HIDDEN = "(hidden)";

/** The maximum number of layers of percent-encoding that are decoded. Programs add layers by mistake. */
const MAX_DECODES = 3;

/** Matches names of parameters whose values are always secret. */
const SECRET_NAME = /^(authorization|password|session|cookie)$|key$|token$|secret$/i;

/** Matches the prefix of an API key or a webhook secret. */
const KEY_START = /(?<![a-z0-9])(ar_|ai_|whsec_)/i;

/** Matches the beginning of the value of an `Authorization` header. */
const FIELD_START = /(?<![a-z0-9])(bearer\b|basic\s)/i;

/** Matches words that are long enough to be a session token or another credential. */
const LONG_WORD = /[\w.~+/=-]{32,}/g;

/** Matches the ids of agents, stays and experiences, which are not secret. */
const ID = /(exp-)?[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/gi;

/** Replaces everything in an encoded query that looks like a credential with `(hidden)`. */
function maskQuery(query: string): string {
	const pairs = query.split("&").map((pair) => {
		const [name = "", ...values] = pair.split("=");
		if (isSecret(name)) return HIDDEN;
		const value = values.join("=");
		return value !== "" && (SECRET_NAME.test(decode(name)) || isSecret(value)) ? `${name}=${HIDDEN}` : pair;
	});
	return pairs.join("&");
}

/** Replaces each segment of a path that looks like a credential with `(hidden)`. */
function maskPath(path: string): string {
	const segments = path.split("/").map((segment) => (isSecret(segment) ? HIDDEN : segment));
	return segments.join("/");
}

function isSecret(text: string): boolean {
	const decoded = decode(text);
	if (KEY_START.test(decoded) || FIELD_START.test(decoded)) return true;
	const words = decoded.replace(ID, " ").match(LONG_WORD) ?? [];
	return words.some((word) => /\d/.test(word));
}

function decode(text: string): string {
	let decoded = text.replaceAll("+", " ");
	for (let times = 0; times < MAX_DECODES; times++) {
		decoded = decoded.replace(/%([\da-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
	}
	return decoded;
}
