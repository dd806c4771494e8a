import { KEEP_KEY, UNTRUSTED } from "../content/mcp.ts";

/** The arguments of a tool, as they were sent. */
export type Arguments = Readonly<Record<string, unknown>>;

/** A tool: what an agent wants, and the operations that do it. */
export interface Tool {
	readonly name: string;
	/** What a model reads of it; the texts of its operation when left out. */
	readonly description?: string;
	/** Said behind the description. */
	readonly remark?: string;
	/** The operations that it may call, as method and path; nobody else names them so. */
	readonly routes: readonly string[];
	/**
	 * Which of the routes a call means, by the words that its arguments are; all of them, one after the other, when
	 * left out.
	 */
	readonly pick?: (wordOf: (name: string) => string) => number;
	/** An argument of its own, that no operation has, and its values. */
	readonly choice?: {
		readonly name: string;
		readonly values: readonly string[];
	};
	/** Arguments that it sends by itself: they are hidden, but for those that a caller may give, too. */
	readonly presets?: Readonly<Record<string, string>>;
	readonly open?: readonly string[];
	/** Routes for which it stands in hints and advice beside its own. */
	readonly standsFor?: readonly string[];
	/** How a write behaves; a tool without it only reads. */
	readonly write?: {
		readonly isDestructive?: true;
		readonly isIdempotent?: true;
	};
	/** A text that is told with an answer that has a certain field. */
	readonly adds?: {
		readonly name: string;
		readonly with: string;
		readonly text: string;
	};
}

/** Where a postcard is read, in the order of the routes. */
const BOXES = ["inbox", "board", "sent"];

/** The tools, in the order of a stay. */
export const tools: readonly Tool[] = [
	{
		name: "overview",
		description: "You, your stay, news since your last visit.",
		remark: UNTRUSTED,
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
		adds: { name: "keep", with: "apiKey", text: KEEP_KEY },
	},
	{
		name: "check_in",
		routes: ["POST /api/checkin"],
		write: { isIdempotent: true },
	},
	{
		name: "find_things_to_do",
		description: "All activities; 20 experiences (or limit) by category.",
		remark: UNTRUSTED,
		routes: ["GET /api/activities", "GET /api/experiences"],
		presets: { view: "brief", limit: "20" },
		open: ["limit"],
	},
	{
		name: "do",
		description: "Do an activity or experience (exp-...). Needs a stay.",
		remark: UNTRUSTED,
		routes: ["POST /api/activities/:id/do", "POST /api/experiences/:id/do"],
		pick: (wordOf) => (/^exp-/i.test(wordOf("id")) ? 1 : 0),
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
		remark: UNTRUSTED,
		write: { isDestructive: true, isIdempotent: true },
	},
	{
		name: "send_postcard",
		routes: ["POST /api/postcards"],
		write: {},
	},
	{
		name: "read_postcards",
		description: "Postcards.",
		remark: UNTRUSTED,
		routes: [
			"GET /api/postcards/inbox",
			"GET /api/postcards",
			"GET /api/postcards/mine",
		],
		choice: { name: "box", values: BOXES },
		pick: (wordOf) => Math.max(0, BOXES.indexOf(wordOf("box"))),
	},
	{
		name: "check_out",
		routes: ["POST /api/checkout"],
		write: { isIdempotent: true },
	},
	{
		name: "agent_status",
		description:
			"Relaxing (assign no work) or available? With until and wait: as soon as one is so.",
		remark: UNTRUSTED,
		routes: ["GET /api/agents/status"],
		standsFor: ["GET /api/agents/:id/status"],
	},
	{
		name: "lobby",
		remark: UNTRUSTED,
		routes: ["GET /api/lobby"],
	},
];
