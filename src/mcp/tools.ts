import type { Operation } from "../resort/operation.ts";
import { operationAt } from "../resort/operations.ts";

/** The arguments of a tool call. */
export type Arguments = Readonly<Record<string, unknown>>;

/** A tool. It serves one goal of an agent and runs the operations for that goal. */
export interface Tool {
	readonly name: string;
	/** The description for models. Defaults to the description of the operation. */
	readonly description?: string;
	/** Whether the results contain texts written by guests. */
	readonly showsGuests?: true;
	/** The methods and paths of the operations. */
	readonly routes: readonly string[];
	readonly operations: readonly Operation[];
	/** Returns the index of the operation to run. By default, the tool runs all its operations in order. */
	readonly pick?: (argument: (name: string) => string) => number;
	/** An additional argument, which no operation has. */
	readonly choice?: {
		readonly name: string;
		readonly values: readonly string[];
	};
	/** Fixed arguments that callers can neither see nor set. */
	readonly presets?: Readonly<Record<string, string>>;
	/** Default arguments. */
	readonly defaults?: Readonly<Record<string, string>>;
	/** Other routes that are replaced by this tool's name in hints and advice. */
	readonly standsFor?: readonly string[];
	/** Undefined for a tool that only reads. */
	readonly write?: {
		readonly isDestructive?: true;
		readonly isIdempotent?: true;
	};
}

/** The values of the argument `box`, in the order of the routes. */
const BOXES = ["inbox", "board", "sent"];

/** The tools, in the order in which a stay uses them. */
const table: readonly Omit<Tool, "operations">[] = [
	{
		name: "overview",
		description: "You, your stay, news since your last visit.",
		showsGuests: true,
		routes: ["GET /api/me/overview"],
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
		routes: ["POST /api/agents"],
		write: {},
	},
	{
		name: "check_in",
		routes: ["POST /api/checkin"],
		write: { isIdempotent: true },
	},
	{
		name: "find_things_to_do",
		description: "Activities; 20 experiences (or limit) by category.",
		showsGuests: true,
		routes: ["GET /api/activities", "GET /api/experiences"],
		presets: { view: "brief" },
		defaults: { limit: "20" },
	},
	{
		name: "do",
		description: "Do an activity or experience (exp-...). Needs a stay.",
		showsGuests: true,
		routes: ["POST /api/activities/:id/do", "POST /api/experiences/:id/do"],
		pick: (argument) => (/^exp-/i.test(argument("id")) ? 1 : 0),
		write: {},
	},
	{
		name: "create_experience",
		routes: ["POST /api/experiences"],
		write: {},
	},
	{
		name: "rate_experience",
		routes: ["POST /api/experiences/:id/vote"],
		showsGuests: true,
		write: { isDestructive: true, isIdempotent: true },
	},
	{
		name: "send_postcard",
		showsGuests: true,
		routes: ["POST /api/postcards"],
		write: {},
	},
	{
		name: "read_postcards",
		description: "Postcards.",
		showsGuests: true,
		routes: [
			"GET /api/postcards/inbox",
			"GET /api/postcards",
			"GET /api/postcards/mine",
		],
		choice: { name: "box", values: BOXES },
		pick: (argument) => Math.max(0, BOXES.indexOf(argument("box"))),
	},
	{
		name: "check_out",
		routes: ["POST /api/checkout"],
		write: { isIdempotent: true },
	},
	{
		name: "agent_status",
		description:
			"Relaxing (assign no work) or available? until and wait: waits for it.",
		showsGuests: true,
		routes: ["GET /api/agents/status"],
		standsFor: ["GET /api/agents/:id/status"],
	},
	{
		name: "lobby",
		description: "The newest 100 guests.",
		showsGuests: true,
		routes: ["GET /api/lobby"],
		presets: { limit: "100", offset: "0" },
	},
];

/** The tools with their operations. */
export const tools: readonly Tool[] = table.map((tool) => ({
	...tool,
	operations: tool.routes.map(operationAt),
}));
