import { admit, type Call } from "../auth/call.ts";
import { runPatiently, secondsOf } from "../auth/waiting.ts";
import { ResortError } from "../lib/resort-error.ts";
import { Body } from "../pipeline/body.ts";
import type { Content } from "../pipeline/coding.ts";
import { renderJson, schemaOf } from "../pipeline/render.ts";
import type { Operation } from "../resort/operation.ts";
import { DocumentReply, toReply } from "../resort/reply.ts";
import { type Answering, readyAnswer, usualStatus } from "./answering.ts";
import { type Found, NOTHING_FOUND } from "./exchange.ts";
import { meetFault } from "./faults.ts";

/** Larger answers are given to no tool and no page; of those there are only lists, which can be asked for in parts. */
const MAX_ANSWER_BYTES = 1024 * 1024;

/** The operation that a door means, and what it is to be called with. */
export type Meant = Pick<Call, "operation" | "params" | "query" | "body">;

/** What a message came with: who sent it, and over what. */
export interface Sender
	extends Pick<Call, "address" | "connection" | "presented" | "isVisit"> {
	/** What was found out while it was answered, for the log. */
	readonly found: Found & {
		/** The last operation that was used; the fault is the one that it met. */
		operation: Operation | null;
	};
}

/** What has been found out before anything has happened. */
export function nothingFound(): Sender["found"] {
	return { ...NOTHING_FOUND, operation: null };
}

/** What an operation answers to a door that sends it on in another form. */
export interface Used {
	/** The fields that its schema knows and no others, as JSON; or a document. */
	readonly text: string;
	/** A session that begins, by its token; null when the caller's session has ended. */
	readonly session?: string | null | undefined;
}

/**
 * Calls an operation as every door does.
 * @throws ResortError for what is refused
 */
export async function use(
	answering: Answering,
	sender: Sender,
	meant: Meant,
): Promise<Used> {
	const { context } = answering.access;
	const call: Call = {
		...meant,
		address: sender.address,
		connection: sender.connection,
		presented: sender.presented,
		isVisit: sender.isVisit,
		// These doors judge by themselves what a browser may send.
		guard() {},
		caller: null,
		counted: null,
		ignored: [],
	};
	const { found } = sender;
	found.operation = call.operation;
	if (context.testkit !== null) {
		await meetFault(context.testkit, call, call.connection, found);
	}
	const { body, session } = await context.store.withDeadline(async () => {
		if (call.operation.method === "GET") await context.store.checkFreshness();
		try {
			return await answer(answering, call, sender);
		} finally {
			found.agentId ??= call.caller?.agent.id ?? null;
		}
	});
	if (body.length > MAX_ANSWER_BYTES) {
		throw new ResortError("invalid", "The answer is too large for a tool", {
			hint: "Ask for a part of it with limit and offset.",
		});
	}
	return { text: await textOf(body.plain), session };
}

async function answer(
	answering: Answering,
	call: Call,
	{ found }: Sender,
): Promise<{ body: Body; session?: Used["session"] }> {
	const { access } = answering;
	const { operation } = call;
	const input = await admit(access, call);
	const waits = secondsOf(operation, input.query) > 0;
	if (waits) found.waited = true;
	if (operation.invalidatedBy !== undefined && !waits) {
		const { body } = await readyAnswer(answering, call, input);
		return { body };
	}
	const reply = toReply(await runPatiently(access, call, input));
	if (reply instanceof DocumentReply) {
		return { body: Body.of(await textOf(reply.document.content)) };
	}
	const { status = usualStatus(operation), session } = reply.details;
	const schema = schemaOf(operation, status, input.query);
	const body = Body.of(renderJson(schema, reply.body));
	return { body, session };
}

function textOf(content: Content): string | Promise<string> {
	if (typeof content === "string") return content;
	return content instanceof Blob
		? content.text()
		: new TextDecoder().decode(content);
}
