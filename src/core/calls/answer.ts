import type { Logger } from "@logtape/logtape";
import type { TSchema } from "@sinclair/typebox";
import type { NextCall } from "../../content/next-calls.ts";
import { createCache } from "../lib/bounded-cache.ts";
import { type Clock, SECOND_MS } from "../lib/clock.ts";
import { toHttpCall } from "../lib/hint.ts";
import { ResortError, statuses } from "../lib/resort-error.ts";
import { copyFields, findError } from "../lib/schema-compiler.ts";
import { toVisibleJson, withoutInvisible } from "../lib/text.ts";
import { weightOf } from "../lib/weights.ts";
import { DocumentReply, type Operation, Reply } from "../resort/operation.ts";
import type { Call, RequestRecord, ValidCall } from "./call.ts";

/** The result of a call, which the transport sends to the client. */
export interface Answer {
	readonly status: number;
	/** The header fields that depend on the call. The transport adds the fields that all responses have. */
	readonly headers: Readonly<Record<string, string>>;
	/** A JSON object, a text, a file or a stream; a {@link WrittenBody} if the answer is cached or stored. */
	readonly body: JsonObject | string | Uint8Array<ArrayBuffer> | ReadableStream | WrittenBody | null;
	/** Whether clients are allowed to store the answer and revalidate it by its ETag. */
	readonly hasEtag?: boolean;
	/**
	 * The time at which the answer expires unless an event invalidates it earlier, in milliseconds since the
	 * epoch; undefined for never.
	 */
	readonly untilMs?: number | undefined;
	/** The token of a new session; null if the session has ended; undefined if the session stays unchanged. */
	readonly session?: string | null | undefined;
	/** The suggested calls that the body contains. */
	readonly next?: readonly NextCall[];
	/** Set if this is the stored answer of an earlier call with the same idempotency key. */
	readonly isRepeated?: true;
	/** Null for a success. */
	readonly failure: {
		readonly error: unknown;
		/** The fields of the failure. An HTML page may show them in another form. */
		readonly body: { readonly error: string; readonly hint?: string; readonly field?: string };
	} | null;
}

/**
 * Converts the result of an operation to an answer, whose body has only the fields of the operation's schema.
 * @throws Error if the result does not match the operation's schema
 */
export function createAnswer(
	{ operation, prefersMinimal }: Call,
	{ input, ignored }: ValidCall,
	result: object,
): Answer {
	const { body, details } = result instanceof Reply ? result : { body: result, details: {} };
	const { status = successStatus(operation), session, untilMs } = details;
	const document = result instanceof DocumentReply ? result.document : null;
	// In a list, `next` is the path of the next page instead of suggested calls.
	const { next: given } = body as { readonly next?: readonly NextCall[] | string };
	const next = typeof given === "string" ? undefined : given;
	const minimal = prefersMinimal ? operation.views?.minimal : undefined;
	return {
		status,
		headers: {
			...(document && { "content-type": document.mediaType }),
			...(operation.byAccept && { vary: "Accept" }),
			...(minimal && { "preference-applied": "return=minimal" }),
			...details.headers,
		},
		body:
			document?.content ??
			onlyFields(minimal ?? schemaOf(operation, status, input.query), {
				ok: true,
				...body,
				...(next && { next: next.map((call) => ({ ...toHttpCall(call), why: call.why })) }),
				...(ignored.length > 0 && { ignored }),
			}),
		hasEtag: hasEtag(operation) && status === 200,
		untilMs,
		session,
		...(next && { next }),
		failure: null,
	};
}

/** Returns the answer of an event stream. For HEAD, `body` is null. */
export function streamAnswer(body: ReadableStream | null): Answer {
	return {
		status: 200,
		headers: {
			"content-type": "text/event-stream",
			// Prevents proxies from caching or buffering the stream.
			"cache-control": "no-store",
			"x-accel-buffering": "no",
		},
		body,
		failure: null,
	};
}

/** Returns the JSON object of an answer. Parses the body if it is already written. */
export async function jsonOf({ body }: Answer): Promise<JsonObject> {
	return body instanceof WrittenBody ? JSON.parse(await body.text()) : (body as JsonObject);
}

/**
 * Whether web pages of any origin may read the answers of an operation: true for public GET operations,
 * except the test controls.
 */
export function isPublic({ credential, method, isLocal }: Operation): boolean {
	return (credential === "none" || credential === "own") && method === "GET" && !isLocal;
}

/** Whether successful answers of an operation have an ETag. */
export function hasEtag(operation: Operation): boolean {
	return isPublic(operation) && !operation.isFresh;
}

/** Returns the status of a success: the lowest key, because JavaScript iterates integer keys in order. */
function successStatus({ answers }: Operation): number {
	return Number(Object.keys(answers)[0]);
}

/** Returns the schema of an answer, which depends on the query parameter `view` of some operations. */
function schemaOf({ answers, views }: Operation, status: number, query: unknown): TSchema {
	const { view } = query as { readonly view?: string };
	const schema = views?.[view ?? ""] ?? answers[status];
	if (schema === undefined) throw new Error(`no answer for ${status}`);
	return schema;
}

/**
 * Returns only the fields of the schema, so that no internal field leaks.
 * @throws Error whose message omits the invalid value, which may be a key or a private postcard
 */
function onlyFields(schema: TSchema, body: object): JsonObject {
	const fields = copyFields(schema, body);
	if (fields !== undefined) return fields as JsonObject;
	const error = findError(schema, body);
	throw new Error(`response does not match its schema: ${error?.path} ${error?.message}`);
}

/** The minimum time between log lines about one outage. A full disk, for example, makes every write fail. */
const OUTAGE_MS = 5 * SECOND_MS;
const MAX_OUTAGES = 100;

/** Converts errors to answers. An unexpected error becomes a 500, and its details are logged. */
export class FailureAnswers {
	/** For each error message: when it was last logged, and how often it was left out of the log since then. */
	readonly #outages = createCache<{ atMs: number; untold: number }>(MAX_OUTAGES);

	constructor(
		private readonly log: Logger,
		private readonly clock: Clock,
	) {}

	/**
	 * Converts an error to an answer. Logs outages and unexpected errors.
	 * @param headers additional header fields of the answer
	 */
	of(error: unknown, record: RequestRecord, headers: Answer["headers"] = {}): Answer {
		if (!(error instanceof ResortError)) {
			const { method, route, requestId } = record;
			this.log.error("request failed", { method, route, requestId, error: describe(error) });
			return failureAnswer(500, headers, { error, body: { error: "Internal error" } });
		}
		const { code, message, details } = error;
		if (details.refusesCredential) record.hasWrongCredential = true;
		// With a cause, `unavailable` is an outage, and is logged here. Without one, it is a refusal because of
		// load, which is expected, and which the log line of the request shows.
		if (code === "unavailable" && error.cause !== undefined) {
			this.#logOutage(error, record);
		}
		const { hint, field, retryAfterSeconds } = details;
		const fields: Record<string, string> = { ...headers };
		if (details.closesConnection) fields.connection = "close";
		if (retryAfterSeconds !== undefined) fields["retry-after"] = String(retryAfterSeconds);
		return failureAnswer(statuses[code], fields, {
			error,
			body: {
				error: message,
				...(hint !== undefined && { hint: String(hint) }),
				...(field !== undefined && { field }),
			},
		});
	}

	/** Logs an outage, unless the same message was logged recently. */
	#logOutage({ message, cause }: ResortError, { route, requestId }: RequestRecord): void {
		const last = this.#outages.get(message);
		const nowMs = this.clock();
		if (last !== undefined && Math.abs(nowMs - last.atMs) < OUTAGE_MS) {
			last.untold++;
			return;
		}
		this.#outages.set(message, { atMs: nowMs, untold: 0 });
		this.log.error(message, {
			route,
			requestId,
			error: String(cause),
			...(last !== undefined && last.untold > 0 && { untold: last.untold }),
		});
	}
}

/** Creates the answer for a failure. */
export function failureAnswer(
	status: number,
	headers: Answer["headers"],
	failed: NonNullable<Answer["failure"]>,
): Answer {
	return {
		status,
		headers: status === 401 ? { ...headers, "www-authenticate": "Bearer" } : headers,
		body: failed.body,
		failure: failed,
	};
}

function describe(error: unknown): string {
	return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** A content coding (RFC 9110, 8.4.1). `identity` means uncompressed. */
export type Coding = "identity" | "gzip";

/** A body in a form that the runtime's `Response` accepts. */
export type Content = string | Blob | Bytes;

/** A JSON object that is not yet written. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** An already compressed file, such as an image. */
type Bytes = Uint8Array<ArrayBuffer>;

/** The minimum size for compression. Below it, compression would save less than one network packet. */
const COMPRESSED_FROM_BYTES = 1024;

/**
 * Bodies of this size or more are kept as Blobs, which the runtime sends in many responses without a copy.
 */
const SHARED_FROM_BYTES = 64 * 1024;

/** A body as bytes. It is compressed when a coding is first requested, and the result is kept. */
export class WrittenBody {
	readonly isCompressible: boolean;
	#compressed: Content | Promise<Content> | null = null;

	/**
	 * @param plain the uncompressed body
	 * @param length the size of the uncompressed body in bytes
	 * @param etag the strong ETag of the uncompressed body (RFC 9110, 8.8.3); null if clients must not store it
	 */
	private constructor(
		readonly plain: Content,
		readonly length: number,
		readonly etag: string | null,
		isFile: boolean,
	) {
		this.isCompressible = !isFile && length >= COMPRESSED_FROM_BYTES;
	}

	/** Writes a body. Removes invisible characters, which texts stored by earlier versions may contain. */
	static write(body: JsonObject | string | Bytes | WrittenBody, hasEtag = false): WrittenBody {
		if (body instanceof WrittenBody) return body;
		if (body instanceof Uint8Array) {
			return new WrittenBody(body, body.length, hasEtag ? etagOf(body) : null, true);
		}
		return WrittenBody.of(typeof body === "string" ? withoutInvisible(body) : toVisibleJson(body), hasEtag);
	}

	/** Creates a body from a text that is sent unchanged. */
	static of(text: string, hasEtag = false): WrittenBody {
		const etag = hasEtag ? etagOf(text) : null;
		const length = Buffer.byteLength(text);
		if (length >= SHARED_FROM_BYTES) return new WrittenBody(new Blob([text]), length, etag, false);
		// Encodes a string with non-ASCII characters once. If it stayed a string, the runtime would encode it
		// again for every response.
		const plain = length === text.length ? text : Buffer.from(text);
		return new WrittenBody(plain, length, etag, false);
	}

	/** An upper bound of the memory that the body uses in both codings together, in bytes. */
	get maxBytes(): number {
		return this.length * (this.isCompressible ? 2 : 1);
	}

	/** Returns the uncompressed body as text. */
	text(): Promise<string> {
		return new Blob([this.plain]).text();
	}

	/** Returns the body in a coding. Compresses the body at the first request for that coding. */
	encoded(coding: Coding): Content | Promise<Content> {
		if (coding === "identity") return this.plain;
		this.#compressed ??=
			this.plain instanceof Blob
				? this.#compressShared(this.plain)
				: new Uint8Array(Bun.gzipSync(this.plain));
		return this.#compressed;
	}

	/** Compresses a body of at least {@link SHARED_FROM_BYTES}, on another thread. */
	async #compressShared(plain: Blob): Promise<Blob> {
		const stream = plain.stream().pipeThrough(new CompressionStream("gzip"));
		const compressed = await Bun.readableStreamToBlob(stream);
		this.#compressed = compressed;
		return compressed;
	}
}

/**
 * Returns the ETag of a body: 128 bits of a hash that has no random seed, so a body has the same ETag on
 * every instance and after a restart.
 */
function etagOf(content: string | Bytes): string {
	return `"${Bun.CryptoHasher.hash("sha256", content, "hex").slice(0, 32)}"`;
}

/** Matches `gzip` or `*` in an `Accept-Encoding` field without weights, as most clients send. */
const GZIP = /(?:^|,)\s*(?:gzip|\*)\s*(?:,|$)/i;

/**
 * Selects the coding of a response.
 * @param header the request's `Accept-Encoding` field (RFC 9110, 12.5.3); null if it is missing
 */
export function chooseCoding(header: string | null): Coding {
	if (header === null) return "identity";
	if (!header.includes(";")) return GZIP.test(header) ? "gzip" : "identity";
	const gzip = weightOf(header, ["gzip", "*"]);
	// A client that gives `identity` a higher weight does not want gzip.
	const isWanted = gzip > 0 && gzip >= weightOf(header, ["identity"]);
	return isWanted ? "gzip" : "identity";
}
