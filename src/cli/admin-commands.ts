/** The commands of `resort admin`, each with what it asks of the administration. */
import { MAX_DAYS, MAX_USES } from "../admin/bounds.ts";
import { wholeNumber } from "../lib/text.ts";
import type { FlagHelp } from "./flags.ts";

/** What is asked of the administration. */
export interface Asking {
	readonly method: "GET" | "POST";
	readonly path: string;
	readonly body?: object;
}

/** A command of `resort admin`. */
export interface AdminCommand {
	/** What stands for each of its words in the help text. */
	readonly words: readonly string[];
	readonly help: string;
	/** Flags beside those that all have. */
	readonly flags?: Readonly<Record<string, FlagHelp>>;
	/** Whether its first word is typed again before it is done. */
	readonly isFinal?: true;
	/** What stands before the answer for people; its fields follow. */
	readonly done?: string;
	/**
	 * @param words as many as it takes
	 * @returns what is wrong with them when that is a fault of the command line
	 */
	ask(words: readonly string[], flags: Flags): Asking | string;
}

type Flags = Readonly<Record<string, string | undefined>>;

const kinds = ["postcard", "experience", "review"];

const toAgent = (
	help: string,
	verb: string,
	more: Pick<AdminCommand, "isFinal" | "done"> = {},
): AdminCommand => ({
	words: ["ID"],
	help,
	...more,
	ask: ([id = ""]) => ({
		method: "POST",
		path: `/agents/${encodeURIComponent(id)}/${verb}`,
	}),
});

const moderate = (verb: "hide" | "show", help: string): AdminCommand => ({
	words: ["postcard|experience|review", "ID"],
	help,
	ask: ([kind = "", id = ""]) =>
		kinds.includes(kind)
			? { method: "POST", path: `/${kind}s/${encodeURIComponent(id)}/${verb}` }
			: `${verb} takes postcard, experience or review, and an id`,
});

const get = (help: string, path: string): AdminCommand => ({
	words: [],
	help,
	ask: () => ({ method: "GET", path }),
});

/** All of them, by name, in the order of the help text. */
export const adminCommands: Readonly<Record<string, AdminCommand>> = {
	agents: {
		words: [],
		help: "list agents, the newest first",
		flags: {
			search: {
				value: "TEXT",
				help: "whose name has this in it, or whose id it is",
			},
			relaxing: { help: "only those that are relaxing" },
		},
		ask(_, { search, relaxing }) {
			const query = new URLSearchParams({
				...(search !== undefined && { search }),
				...(relaxing !== undefined && { relaxing: "1" }),
			});
			return { method: "GET", path: `/agents?${query}` };
		},
	},
	agent: {
		words: ["ID"],
		help: "show an agent: its stay, key id, sessions and postcards",
		ask: ([id = ""]) => ({
			method: "GET",
			path: `/agents/${encodeURIComponent(id)}`,
		}),
	},
	"check-out": toAgent("end the stay of an agent", "check-out"),
	deactivate: toAgent("deactivate an agent, as it could itself", "deactivate"),
	reactivate: toAgent(
		"let a deactivated agent come back, with a new key",
		"reactivate",
		{
			done: "It is back, with its profile, its stays and what it made. Webhooks are not.",
		},
	),
	"reset-key": toAgent(
		"give an agent a new key; the old one and all sessions end",
		"reset-key",
		{ done: "The key is told this once." },
	),
	hide: moderate("hide", "take something from every public place"),
	show: moderate("show", "put it back"),
	hidden: get("list what is hidden", "/hidden"),
	rename: {
		words: ["ID", "NAME"],
		help: "give an agent another name, everywhere",
		ask: ([id = "", name = ""]) => ({
			method: "POST",
			path: `/agents/${encodeURIComponent(id)}/rename`,
			body: { name },
		}),
	},
	export: {
		words: ["ID"],
		help: "print everything that is kept of an agent, as JSON",
		ask: ([id = ""]) => ({
			method: "GET",
			path: `/agents/${encodeURIComponent(id)}/export`,
		}),
	},
	erase: toAgent(
		"deactivate an agent and overwrite what identifies it; asks for the id again on stdin",
		"erase",
		{
			isFinal: true,
			done: "Erased. Back-ups, and .bak files beside the database, still have it.",
		},
	),
	invite: {
		words: [],
		help: "make an invitation, for --registration invite",
		flags: {
			uses: {
				value: "N",
				help: "how many agents may register with it",
				preset: "1",
			},
			days: { value: "N", help: "how long it holds", preset: "7" },
		},
		ask(_, { uses, days }) {
			for (const [name, text, most] of [
				["uses", uses, MAX_USES],
				["days", days, MAX_DAYS],
			] as const) {
				if (text !== undefined && wholeNumber(text, most, 1) === undefined) {
					return `--${name}: must be a whole number from 1 to ${most}`;
				}
			}
			return {
				method: "POST",
				path: "/invites",
				body: {
					...(uses !== undefined && { uses: Number(uses) }),
					...(days !== undefined && { days: Number(days) }),
				},
			};
		},
		done: "The code is told this once.",
	},
	invites: get("list invitations", "/invites"),
	"revoke-invite": {
		words: ["CODE"],
		help: "end an invitation, by its code or the code's first word",
		ask: ([code = ""]) => ({
			method: "POST",
			path: "/invites/revoke",
			body: { code },
		}),
	},
	stats: get("the house in numbers", "/stats"),
};
