import type { TSchema } from "@sinclair/typebox";
import { TypeCompiler, type ValueError } from "@sinclair/typebox/compiler";
import { createMirror } from "exact-mirror";
import { withoutInvisible } from "../lib/text.ts";
import type { Input, Operation } from "../resort/operation.ts";
import { DocumentReply, toReply } from "../resort/reply.ts";
import { clearestError } from "../resort/validation.ts";
import type { Answer } from "./call.ts";
import { suggestedCalls, toHttpCall } from "./http-call.ts";
import { etagOf, ResponseBody } from "./response-body.ts";

/** Copies the fields of a value that its schema names. */
type Mirror = (value: unknown) => unknown;

const mirrors = new WeakMap<TSchema, Mirror>();

/**
 * Turns the result of an operation into its answer.
 * @param headers further header fields
 * @param ignored the names of the body's unknown fields, which the answer lists
 * @throws Error if the result does not fit the operation's schema
 */
export function serialize(
	operation: Operation,
	input: Input,
	result: object,
	headers: Answer["headers"] = {},
	ignored: readonly string[] = [],
): Answer {
	const reply = toReply(result);
	const { details } = reply;
	const { status = successStatus(operation), session, untilMs } = details;
	const document = reply instanceof DocumentReply ? reply.document : null;
	const next = suggestedCalls(reply.body);
	const whole =
		document?.content ??
		renderJson(schemaOf(operation, status, input.query), {
			ok: true,
			...reply.body,
			...(next && { next: next.map(toHttpCall) }),
			...(ignored.length > 0 && { ignored }),
		});
	// Texts of earlier versions may contain such characters. One search of the whole is faster than one in each text.
	const content = typeof whole === "string" ? withoutInvisible(whole) : whole;
	const hasEtag = isPublic(operation) && !operation.isFresh && status === 200;
	return {
		status,
		headers: {
			...headers,
			...(document && { "content-type": document.mediaType }),
			...(operation.byAccept && { vary: "Accept" }),
			...details.headers,
		},
		body: ResponseBody.of(content),
		etag: hasEtag ? etagOf(content) : null,
		untilMs,
		session,
		...(next && { next }),
		failure: null,
	};
}

/**
 * The answer of an event stream.
 * @param body null for HEAD
 */
export function streamAnswer(body: ReadableStream | null): Answer {
	return {
		status: 200,
		headers: {
			"content-type": "text/event-stream",
			// No proxy caches or buffers any part of it.
			"cache-control": "no-store",
			"x-accel-buffering": "no",
		},
		body,
		etag: null,
		failure: null,
	};
}

/** Whether pages of any origin may read an operation's answers. */
export function isPublic({ credential, method, only }: Operation): boolean {
	return credential === "none" && method === "GET" && only !== "testkit";
}

/** The status of success if the operation returns no other: keys that are integers are in ascending order. */
function successStatus({ answers }: Operation): number {
	return Number(Object.keys(answers)[0]);
}

/** @param query a valid one, whose parameter `view` may select another schema */
function schemaOf(
	{ answers, views }: Operation,
	status: number,
	query: unknown,
): TSchema {
	const { view } = query as { readonly view?: string };
	const schema = views?.[view ?? ""] ?? answers[status];
	if (schema === undefined) throw new Error(`no answer for ${status}`);
	return schema;
}

/** The JSON of the fields that a schema names and no others, so that no internal field leaks. */
function renderJson(schema: TSchema, body: object): string {
	let mirror = mirrors.get(schema);
	if (mirror === undefined) {
		mirror = createCheckedMirror(schema);
		mirrors.set(schema, mirror);
	}
	return JSON.stringify(mirror(body));
}

function createCheckedMirror(schema: TSchema): Mirror {
	const check = TypeCompiler.Compile(schema);
	const mirror = createMirror(schema, { TypeCompiler }) as Mirror;
	return (value) => {
		if (!check.Check(value)) throw unfit(check.Errors(value).First());
		return mirror(value);
	};
}

/** Shows the path alone: the value may be a key or a private postcard. */
function unfit(first: ValueError | undefined): Error {
	const error = clearestError(first);
	return new Error(
		`response does not match its schema: ${error?.path} ${error?.message}`,
	);
}
