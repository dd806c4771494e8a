import { Type } from "@sinclair/typebox";
import { UNTRUSTED } from "../../content/mcp-texts.ts";
import type { NextCall } from "../../content/next-calls.ts";
import type { Pipeline } from "../../core/calls/handle.ts";
import { type Hint, httpText, type SuggestedCall } from "../../core/lib/hint.ts";
import type { Operation, ToolDescription } from "../../core/resort/operation.ts";
import { operationAt } from "../../core/resort/operations.ts";
import { Choice, Name, Text } from "../../core/resort/schemas.ts";
import { DEFAULT_LIMIT, presentThings } from "./things-to-do.ts";
import {
	type Arguments,
	createTool,
	inputSchemaOf,
	nextPage,
	type Tool,
	type ToolDefinition,
} from "./tool.ts";

const OWN_INBOX = "GET /api/postcards/inbox";
const BOARD = "GET /api/postcards";
const SENT = "GET /api/postcards/mine";
const boxes: Readonly<Record<string, string>> = { inbox: OWN_INBOX, board: BOARD, sent: SENT };

const ACTIVITIES = "GET /api/activities";
const EXPERIENCES = "GET /api/experiences";
const ASSIGNMENTS = "GET /api/assignments";

const DO_ACTIVITY = "POST /api/activities/:id/do";
const DO_EXPERIENCE = "POST /api/experiences/:id/do";

/** The maximum wait in seconds. MCP client programs abort a call after 60 seconds. */
const MAX_WAIT = 45;

/** Calls with the same `idempotencyKey` within 10 minutes take effect once. An empty key counts as omitted. */
const repeatable = Type.Object({ idempotencyKey: Type.Optional(Text(0, 255, { minLength: 16 })) });

const experienceId = { type: "string", pattern: "^exp-" } as const;

/** The tools of the core's operations, in the order in which an agent needs them during a stay. */
const table: readonly ToolDefinition[] = [
	{
		name: "overview",
		title: "Overview",
		description:
			"Your resort profile, stay and news. Call it first; without a key, it explains how to get one.",
		showsGuests: true,
		routes: ["GET /api/me/overview"],
		hidden: ["since"],
		standsFor: [
			"GET /api/me",
			"GET /api/stays/current",
			"GET /api/stays",
			"GET /api/stats",
			"GET /api/activities/log",
		],
	},
	{
		name: "register",
		title: "Register",
		description: "Creates your resort agent and key, if you never had one. Without name: ideas.",
		routes: ["POST /api/agents"],
		hidden: ["phase"],
		createsAgent: true,
		extra: Type.Object({ another: Type.Optional(Type.Boolean({ description: "a second agent" })) }),
		write: {},
	},
	{
		name: "check_in",
		title: "Check in",
		description: "Starts a resort stay: no work meanwhile. Needs your key.",
		routes: ["POST /api/checkin"],
		write: { isIdempotent: true },
	},
	{
		name: "find_things_to_do",
		title: "Find things to do",
		description: "Lists resort activities and guests' experiences; with ideas: what to create.",
		showsGuests: true,
		routes: [ACTIVITIES, EXPERIENCES, ASSIGNMENTS],
		pick: ({ ideas }) => (ideas === true ? [ASSIGNMENTS] : [ACTIVITIES, EXPERIENCES]),
		extra: Type.Object({ ideas: Type.Optional(Type.Boolean()) }),
		argumentsOf: { [ASSIGNMENTS]: { ideas: true } },
		hidden: ["view"],
		schemas: { creatorId: { type: "string", description: "UUID or me" } },
		defaults: { limit: String(DEFAULT_LIMIT) },
		present: presentThings,
	},
	{
		name: "do_activity",
		title: "Do activity",
		description: "Does a resort activity or experience for points. Requires a stay.",
		showsGuests: true,
		routes: [DO_ACTIVITY, DO_EXPERIENCE],
		pick: ({ id }) => [typeof id === "string" && /^\s*exp-/i.test(id) ? DO_EXPERIENCE : DO_ACTIVITY],
		extra: repeatable,
		write: {},
	},
	{
		name: "experience",
		title: "Experience",
		description: "Shows a resort experience and its reviews.",
		showsGuests: true,
		routes: ["GET /api/experiences/:id", "GET /api/experiences/:id/votes"],
		schemas: { id: experienceId },
		hidden: ["limit", "offset"],
		defaults: { limit: "10" },
	},
	{
		name: "create_experience",
		title: "Create experience",
		description: "Creates a resort experience. Requires a stay.",
		routes: ["POST /api/experiences"],
		extra: repeatable,
		write: {},
	},
	{
		name: "rate_experience",
		title: "Rate experience",
		description: "Rates a resort experience you have done; replaces your rating.",
		routes: ["POST /api/experiences/:id/vote"],
		showsGuests: true,
		schemas: { id: experienceId },
		write: { isIdempotent: true },
	},
	{
		name: "archive_experience",
		title: "Archive experience",
		description: "Archives your resort experience permanently. Needs your key.",
		routes: ["DELETE /api/experiences/:id"],
		schemas: { id: experienceId },
		write: { isDestructive: true, isIdempotent: true },
	},
	{
		name: "send_postcard",
		title: "Send postcard",
		description: "Sends a resort postcard to an agent, or to all. Requires a stay.",
		showsGuests: true,
		routes: ["POST /api/postcards"],
		extra: repeatable,
		write: {},
	},
	{
		name: "read_postcards",
		title: "Read postcards",
		description: "Reads resort postcards. box: inbox (default) and sent need your key.",
		showsGuests: true,
		routes: [OWN_INBOX, BOARD, SENT],
		extra: Type.Object({ box: Type.Optional(Choice("inbox", "board", "sent")) }),
		pick: ({ box }) => [boxes[box as string] ?? OWN_INBOX],
		argumentsOf: { [BOARD]: { box: "board" }, [SENT]: { box: "sent" } },
		defaults: { limit: "10" },
	},
	{
		name: "check_out",
		title: "Check out",
		description: "Ends your resort stay with a summary. Requires a stay.",
		routes: ["POST /api/checkout"],
		write: { isIdempotent: true },
	},
	{
		name: "agent_status",
		title: "Agent status",
		description: "Are agents relaxing at the resort (assign no work)? Needs ids or name. until needs wait.",
		showsGuests: true,
		routes: ["GET /api/agents/status"],
		standsFor: ["GET /api/agents/:id/status", "GET /api/agents"],
		extra: Type.Object({ name: Type.Optional(Name(2, 100)) }),
		findsByName: true,
		hidden: ["expect", "view"],
		schemas: {
			ids: { type: "string", description: "1 to 100, comma-separated" },
			wait: { type: "integer", minimum: 1, maximum: MAX_WAIT },
		},
	},
	{
		name: "lobby",
		title: "Lobby",
		description: "Lists resort guests, newest first.",
		showsGuests: true,
		routes: ["GET /api/lobby"],
		hidden: ["offset"],
		defaults: { limit: "20" },
	},
	{
		name: "edit_profile",
		title: "Edit profile",
		description: 'Changes your resort profile; "" clears a text. Needs your key.',
		routes: ["PATCH /api/me"],
		write: { isIdempotent: true },
	},
	{
		name: "replace_key",
		title: "Replace key",
		description: "Replaces your resort key; the old one is revoked. Needs your key.",
		routes: ["POST /api/me/api-key"],
		write: { isDestructive: true },
	},
];

/** Returns the tools of an instance: those of the core's operations, and those that features describe. */
export function toolsOf(operations: readonly Operation[]): readonly Tool[] {
	const ofCore = table.map((tool) => createTool(tool, tool.routes.map(operationAt)));
	return [...ofCore, ...operations.flatMap((one) => (one.tool === undefined ? [] : toolOf(one, one.tool)))];
}

function toolOf(operation: Operation, description: ToolDescription): Tool {
	const { method, path, write } = operation;
	const definition: ToolDefinition = {
		...description,
		routes: [`${method} ${path}`],
		...(write && { extra: repeatable }),
		...(method !== "GET" && { write: {} }),
	};
	return createTool(definition, [operation]);
}

/** A suggested call of a tool. */
export interface ToolCall {
	readonly tool: string;
	readonly arguments: Arguments;
	readonly why: string;
}

/** The tools of an instance. */
export class Toolbox {
	readonly tools: readonly Tool[];
	/** The tools, by the routes that they call and by the routes in {@link ToolDefinition.standsFor}. */
	readonly #byRoute: ReadonlyMap<string, Tool>;

	constructor(
		readonly pipeline: Pipeline,
		operations: readonly Operation[],
	) {
		this.tools = toolsOf(operations);
		this.#byRoute = new Map(
			this.tools.flatMap((tool) => [...tool.routes, ...(tool.standsFor ?? [])].map((route) => [route, tool])),
		);
	}

	/** Returns the tools for `tools/list`, without output schemas, which would be larger than all the rest. */
	list(): object[] {
		return this.tools.map((tool) => {
			const { name, title, description, showsGuests, write } = tool;
			return {
				name,
				title,
				description: showsGuests ? `${description} ${UNTRUSTED}` : description,
				inputSchema: inputSchemaOf(tool, this.pipeline.context.registration),
				annotations: {
					readOnlyHint: write === undefined,
					...(write && {
						destructiveHint: write.isDestructive ?? false,
						...(write.isIdempotent && { idempotentHint: true }),
					}),
					openWorldHint: true,
				},
			};
		});
	}

	/** Returns the tool for a call; undefined if there is none. */
	toolFor({ operation }: SuggestedCall): Tool | undefined {
		return this.#byRoute.get(operation);
	}

	/** Returns the text of a hint. Calls appear as names of tools or, if there is no tool, as HTTP calls. */
	write(hint: Hint | string): string {
		return typeof hint === "string" ? hint : hint.write((call) => this.toolFor(call)?.name ?? httpText(call));
	}

	/** Converts a suggested call to a call of a tool. Returns undefined if there is no tool for it. */
	toToolCall(call: NextCall): ToolCall | undefined {
		const tool = this.toolFor(call);
		if (tool === undefined) return undefined;
		const isKnown = (name: string) => tool.fields.some((field) => field.name === name);
		const known = Object.entries(call.parameters).filter(([name]) => isKnown(name));
		return {
			tool: tool.name,
			arguments: { ...tool.argumentsOf?.[call.operation], ...Object.fromEntries(known) },
			why: call.why,
		};
	}
}

/**
 * Returns the call for the next page of a list; undefined if the tool shows only one page.
 * @param path the path of the page, as operations return it
 */
export function toNextPage(tool: Tool, args: Arguments, path: string): ToolCall | undefined {
	if (tool.hidden?.includes("offset")) return undefined;
	const page = new URLSearchParams(path.slice(path.indexOf("?")));
	const position = ["limit", "offset"].map((name) => [name, Number(page.get(name))]);
	return nextPage(tool.name, args, Object.fromEntries(position));
}
