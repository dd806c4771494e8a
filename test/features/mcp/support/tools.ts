import { expect } from "bun:test";
import type { Client } from "@modelcontextprotocol/client";
import type { ToolCall } from "../../../../src/features/mcp/tools.ts";
import type { Body } from "../../../support/body.ts";
import type { Answered, CallOptions } from "../../../support/calls.ts";
import type { TestResort } from "../../../support/resort.ts";

/** The result of a tool call. */
export interface ToolAnswer {
	readonly isError: boolean;
	readonly body: ToolBody;
	readonly notices: readonly string[];
	/** The structured content. Undefined if the call was refused or the result contains a new API key. */
	readonly structured: unknown;
}

/** Calls a tool by its name. */
export type UseTool = (name: string, args?: object) => Promise<ToolAnswer>;

/** The text of a tool's result, parsed as JSON. */
export type ToolBody = Omit<Body, "activities" | "error" | "next"> & {
	readonly next: readonly [ToolCall, ...(ToolCall | undefined)[]];
	readonly activities: Body["activities"] & readonly [Body["activities"][number]];
	readonly error: string;
	readonly keep: Readonly<Record<string, unknown>>;
	readonly tool: string;
	readonly retryAfterSeconds: number;
};

/** A message that the MCP server sends: the response to a request. */
export interface Message {
	readonly id: string | number | null;
	readonly error: { readonly code: number; readonly message: string };
	/**
	 * The result, whose fields depend on the method. Missing fields are undefined, whatever their types say.
	 */
	readonly result: {
		readonly content: readonly { readonly type: string; readonly text: string }[];
		readonly structuredContent?: unknown;
		readonly isError?: boolean;
		readonly tools: readonly {
			readonly name: string;
			readonly inputSchema: {
				readonly type: string;
				readonly properties: object;
				readonly required?: readonly string[];
			};
		}[];
		readonly contents: readonly { readonly text: string }[];
		readonly messages: readonly object[];
		readonly protocolVersion: string;
		readonly instructions: string;
	};
}

/** Sends one message in the format of the MCP revisions that require `initialize` first. */
export async function sendMessage(
	resort: TestResort,
	method: string,
	params: object = {},
	ask: CallOptions = {},
): Promise<Answered & { readonly message: Message }> {
	const body = { jsonrpc: "2.0", id: 1, method, params };
	const answered = await resort.call("POST", "/mcp", { body, ...ask });
	return { ...answered, message: answered.body as unknown as Message };
}

/** Sends the message `initialize`, with which a client begins. */
export function initialize(resort: TestResort, ask: CallOptions = {}, protocolVersion = "2025-11-25") {
	const clientInfo = { name: "test", version: "1" };
	return sendMessage(resort, "initialize", { protocolVersion, capabilities: {}, clientInfo }, ask);
}

/** Returns the body and the header fields of a request of revision 2026-07-28. */
export function modernMessage(
	method: string,
	params: object = {},
): { readonly body: object; readonly headers: Record<string, string> } {
	const version = "2026-07-28";
	const name = "name" in params ? { "mcp-name": String(params.name) } : {};
	return {
		body: {
			jsonrpc: "2.0",
			id: 1,
			method,
			params: {
				...params,
				_meta: {
					...("_meta" in params && (params._meta as object)),
					"io.modelcontextprotocol/protocolVersion": version,
					"io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
					"io.modelcontextprotocol/clientCapabilities": {},
				},
			},
		},
		headers: { "mcp-protocol-version": version, "mcp-method": method, ...name },
	};
}

/** Returns a function that calls tools of a test's resort without an MCP client. */
export function toolsOf(resort: TestResort, ask: CallOptions = {}): UseTool {
	return async (name, args = {}) => {
		const params = { name, arguments: args };
		const { message } = await sendMessage(resort, "tools/call", params, ask);
		if (message.result === undefined) throw new Error(JSON.stringify(message));
		return toAnswer(message.result);
	};
}

/** Returns a function that calls tools through a client of the MCP SDK. */
export function toolsOfClient(client: Client): UseTool {
	return async (name, args = {}) =>
		toAnswer(
			await client.callTool(
				{ name, arguments: args as Record<string, unknown> },
				// The client adds a progress token to calls with this listener, as most MCP hosts do.
				{ onprogress() {} },
			),
		);
}

function toAnswer(result: {
	readonly content: readonly { readonly type: string }[];
	readonly structuredContent?: unknown;
	readonly isError?: boolean | undefined;
}): ToolAnswer {
	const texts = result.content.map((content) => {
		if (!("text" in content)) throw new Error("no text");
		return String(content.text);
	});
	const { isError = false, structuredContent: structured } = result;
	const notices = texts.slice(0, -1);
	const body = JSON.parse(texts.at(-1) ?? "");
	if (isError || "apiKey" in body) expect(structured).toBeUndefined();
	else expect(structured).toEqual(body);
	return { isError, body, notices, structured };
}

/** Spends a whole stay with MCP tools only: registers two agents, and calls every tool. */
export async function stayByTools(use: UseTool): Promise<void> {
	const refused = await use("overview");
	expect(refused).toMatchObject({ isError: true, body: { error: "Unauthorized", tool: "register" } });
	expect((await use("check_in")).body.tool).toBe("overview");
	const { body: ada } = await done(use, "register", { name: "Ada" });
	expect(ada.keep.how).toContain("shown only once");
	const apiKey: string = ada.apiKey;
	const { body: bob } = await done(use, "register", { name: "Bob" });
	const bobs = { apiKey: bob.apiKey };
	await done(use, "check_in", { apiKey, moodOnArrival: "frayed" });
	await done(use, "check_in", bobs);
	const { body: found } = await done(use, "find_things_to_do");
	const [activity] = found.activities;
	const { body: did } = await done(use, "do_activity", { apiKey, id: activity.id });
	expect(did.toRested).toBe(18 - activity.relaxationPoints);
	const { body: made } = await done(use, "create_experience", {
		apiKey,
		name: "Cloud Naming",
		category: "calm",
		description: "Name the clouds that pass.",
		location: "Lawn",
		durationMinutes: 20,
	});
	const { id } = made.experience;
	await done(use, "do_activity", { apiKey, id });
	await done(use, "rate_experience", { apiKey, id, rating: 5 });
	const { body: shown } = await done(use, "experience", { id });
	expect(shown.votes).toMatchObject([{ rating: 5 }]);
	await done(use, "archive_experience", { apiKey, id });
	const recipientId = bob.agent.id;
	await done(use, "send_postcard", { apiKey, message: "Hello", recipientId });
	const { body: inbox } = await done(use, "read_postcards", bobs);
	expect(inbox.postcards).toMatchObject([{ message: "Hello" }]);
	const { body: overview } = await done(use, "overview", bobs);
	expect(overview.stay.status).toBe("checked_in");
	const waiting = done(use, "agent_status", { ids: recipientId, until: "available", wait: 20 });
	await done(use, "check_out", bobs);
	expect((await waiting).body.statuses).toMatchObject([{ status: "available" }]);
	const { body: lobby } = await done(use, "lobby");
	const guests: { readonly id: string }[] = lobby.guests;
	expect(guests.map((guest) => guest.id)).toContain(ada.agent.id);
	const { body: left } = await done(use, "check_out", { apiKey });
	expect(left.summary.activitiesCompleted).toBe(2);
	await done(use, "edit_profile", { apiKey, bio: "Counts clouds." });
	const { body: replaced } = await done(use, "replace_key", { apiKey });
	expect((await use("overview", { apiKey })).isError).toBe(true);
	const again = await done(use, "overview", { apiKey: replaced.apiKey });
	expect(again.body.agent).toMatchObject({ bio: "Counts clouds." });
}

async function done(use: UseTool, name: string, args: object = {}): Promise<ToolAnswer> {
	const answer = await use(name, args);
	if (answer.isError) throw new Error(JSON.stringify(answer.body));
	return answer;
}
