import { admit, type Call } from "../access/call.ts";
import { runPatiently, secondsOf } from "../access/waiting.ts";
import { Body, type Content } from "../answers/body.ts";
import { DrawnBody } from "../answers/drawn-body.ts";
import { schemaOf } from "../answers/render.ts";
import {
	type Answering,
	readyAnswer,
	toReply,
	usualStatus,
} from "../http/answering.ts";
import { ResortError } from "../lib/resort-error.ts";
import { DocumentReply } from "../resort/reply.ts";
import type { Meant } from "./arguments.ts";

/** Larger answers are not given to a model; of those there are only lists, which can be asked for in parts. */
const MAX_ANSWER_BYTES = 1024 * 1024;

/** What a message came with: who sent it, and over what. */
export interface Sender
	extends Pick<Call, "address" | "connection" | "presented"> {
	/** What was found out while it was answered, for the log. */
	readonly found: { agentId: string | null; waited: boolean };
}

/**
 * Calls an operation as every door does.
 * @returns the text of its answer: the fields that its schema knows and no others
 * @throws ResortError for what is refused
 */
export async function use(
	answering: Answering,
	sender: Sender,
	meant: Meant,
): Promise<string> {
	const { house } = answering.access;
	const call: Call = {
		...meant,
		address: sender.address,
		connection: sender.connection,
		presented: sender.presented,
		// Nothing that a browser sends by itself is taken for a credential here.
		guard() {},
		caller: null,
		counted: null,
		ignored: [],
	};
	const body = await house.store.attend(async () => {
		if (call.operation.method === "GET") await house.store.look();
		try {
			return await answer(answering, call, sender);
		} finally {
			sender.found.agentId ??= call.caller?.agent.id ?? null;
		}
	});
	if (body.length > MAX_ANSWER_BYTES) {
		throw new ResortError("invalid", "The answer is too large for a tool", {
			hint: "Ask for a part of it with limit and offset.",
		});
	}
	return textOf(body.plain);
}

async function answer(
	answering: Answering,
	call: Call,
	{ found }: Sender,
): Promise<Body> {
	const { access, lists } = answering;
	const { operation } = call;
	const input = await admit(access, call);
	const waits = secondsOf(operation, input.query) > 0;
	if (waits) found.waited = true;
	if (operation.readsOf !== undefined && !waits) {
		const { body } = await readyAnswer(answering, call, input);
		return body instanceof DrawnBody ? body.next() : body;
	}
	const reply = toReply(await runPatiently(access, call, input));
	if (reply instanceof DocumentReply) {
		// Tools give texts alone.
		return Body.of(await textOf(reply.document.content));
	}
	const { status = usualStatus(operation) } = reply.details;
	const { view } = input.query as { readonly view?: string };
	const schema = schemaOf(operation, status, view);
	return lists.render(schema, reply.body, input.address);
}

function textOf(content: Content): string | Promise<string> {
	if (typeof content === "string") return content;
	return content instanceof Blob
		? content.text()
		: new TextDecoder().decode(content);
}
