import type { TSchema } from "@sinclair/typebox";
import type { NextCall } from "../../content/next-calls.ts";
import { toHttpCall } from "../lib/hint.ts";
import type { Operation } from "../resort/operation.ts";
import { DocumentReply, Reply } from "../resort/reply.ts";
import { copyFields, findError } from "../resort/schemas.ts";
import type { Answer, Call, ValidCall } from "./call.ts";
import { type JsonObject, WrittenBody } from "./written-body.ts";

/**
 * Converts the result of an operation to its answer. The body contains only the fields of its schema.
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
	// `next` of a list is the path of its next page.
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
		hasEtag: isPublic(operation) && !operation.isFresh && status === 200,
		untilMs,
		session,
		...(next && { next }),
		failure: null,
	};
}

/**
 * Returns the answer of an event stream.
 * @param body null for HEAD
 */
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

/** Returns the JSON object of an answer. Reads it back if the answer is already written. */
export async function jsonOf({ body }: Answer): Promise<JsonObject> {
	return body instanceof WrittenBody ? JSON.parse(await body.text()) : (body as JsonObject);
}

/**
 * Whether web pages of any origin may read the answers of an operation. True for public GET operations,
 * except those of the test controls.
 */
export function isPublic({ credential, method, isLocal }: Operation): boolean {
	return (credential === "none" || credential === "own") && method === "GET" && !isLocal;
}

/**
 * Returns the default status of a success. It is the lowest status in `answers`, which comes first because
 * JavaScript iterates integer keys in ascending order.
 */
function successStatus({ answers }: Operation): number {
	return Number(Object.keys(answers)[0]);
}

/**
 * Returns the schema of an answer.
 * @param query the validated query; its parameter `view` may select another schema
 */
function schemaOf({ answers, views }: Operation, status: number, query: unknown): TSchema {
	const { view } = query as { readonly view?: string };
	const schema = views?.[view ?? ""] ?? answers[status];
	if (schema === undefined) throw new Error(`no answer for ${status}`);
	return schema;
}

/**
 * Returns the fields in the schema. All other fields are dropped, so that no internal field leaks.
 * @throws Error whose message names the path of the first invalid field but not its value, because the value
 * may be a key or a private postcard
 */
function onlyFields(schema: TSchema, body: object): JsonObject {
	const fields = copyFields(schema, body);
	if (fields !== undefined) return fields as JsonObject;
	const error = findError(schema, body);
	throw new Error(`response does not match its schema: ${error?.path} ${error?.message}`);
}
