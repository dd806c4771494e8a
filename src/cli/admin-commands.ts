/** The commands of `resort admin`, each with what it asks of the administration. */
import { MAX_DAYS, MAX_USES } from "../admin/bounds.ts";
import { toJson } from "../client/text.ts";
import type { Flags } from "../config/sources.ts";
import { wholeNumber } from "../lib/text.ts";
import {
	tellAgent,
	tellAgents,
	tellHidden,
	tellInvites,
} from "./admin-lists.ts";
import { sentences, warnOfRegistration } from "./admin-sentences.ts";
import type { Fields } from "./admin-text.ts";
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
	/** A remark for people on stderr, behind the answer. */
	readonly remark?: string;
	/**
	 * The answer for people, on stdout; without it its fields are shown.
	 * @returns null when the answer is that of an older instance, which told less
	 */
	readonly tell?: (answer: Fields, flags: Flags) => string | null;
	/** A warning for people on stderr; empty when there is none. */
	readonly warn?: (answer: Fields, isServed: boolean) => string;
	/**
	 * @param words as many as it takes
	 * @returns what is wrong with them when that is a fault of the command line
	 */
	ask(words: readonly string[], flags: Flags): Asking | string;
}

const kinds = ["postcard", "experience", "review"];

/** Asks for an agent. */
export const lookAt = (id: string): Asking => ({
	method: "GET",
	path: `/agents/${encodeURIComponent(id)}`,
});

const toAgent = (
	help: string,
	verb: string,
	more: Pick<AdminCommand, "isFinal" | "remark" | "tell">,
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
	tell: sentences[verb],
	ask: ([kind = "", id = ""]) =>
		kinds.includes(kind)
			? { method: "POST", path: `/${kind}s/${encodeURIComponent(id)}/${verb}` }
			: `${verb} takes postcard, experience or review, and an id`,
});

const get = (
	help: string,
	path: string,
	more: Pick<AdminCommand, "tell"> = {},
): AdminCommand => ({
	words: [],
	help,
	...more,
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
				help: "agents: whose name has this in it, or whose id it is",
			},
			relaxing: { help: "agents: only those that are relaxing" },
		},
		ask(_, { search, relaxing }) {
			const query = new URLSearchParams({
				...(search !== undefined && { search }),
				...(relaxing !== undefined && { relaxing: "1" }),
			});
			return { method: "GET", path: `/agents?${query}` };
		},
		tell: tellAgents,
	},
	agent: {
		words: ["ID"],
		help: "show an agent: its stay, last call, key id, sessions and postcards",
		ask: ([id = ""]) => lookAt(id),
		tell: tellAgent,
	},
	"check-out": toAgent("end the stay of an agent", "check-out", {
		tell: sentences.checkOut,
	}),
	deactivate: toAgent("deactivate an agent, as it could itself", "deactivate", {
		tell: sentences.deactivate,
	}),
	reactivate: toAgent(
		"let a deactivated agent come back, with a new key",
		"reactivate",
		{
			tell: sentences.reactivate,
			remark:
				"It is back, with its profile, its stays and what it made. Webhooks are not. A key is told this once.",
		},
	),
	"reset-key": toAgent(
		"give an agent a new key; the old one and all sessions end",
		"reset-key",
		{ tell: sentences.resetKey, remark: "The key is told this once." },
	),
	hide: moderate("hide", "take something from every public place"),
	show: moderate("show", "put it back"),
	hidden: get("list what is hidden", "/hidden", { tell: tellHidden }),
	rename: {
		words: ["ID", "NAME"],
		help: "give an agent another name, everywhere",
		ask: ([id = "", name = ""]) => ({
			method: "POST",
			path: `/agents/${encodeURIComponent(id)}/rename`,
			body: { name },
		}),
		tell: sentences.rename,
	},
	export: {
		words: ["ID"],
		help: "print everything that is kept of an agent, as JSON",
		ask: ([id = ""]) => ({
			method: "GET",
			path: `/agents/${encodeURIComponent(id)}/export`,
		}),
		tell: (answer) => `${toJson(answer.export, 2)}\n`,
	},
	erase: toAgent(
		"deactivate an agent and overwrite what identifies it; asks for the id again on stdin",
		"erase",
		{
			isFinal: true,
			tell: sentences.erase,
			remark:
				"Copies still have what was erased: back-ups, and .bak files beside a database file.",
		},
	),
	invite: {
		words: [],
		help: "make an invitation, for --registration invite",
		flags: {
			uses: {
				value: "N",
				help: "invite: how many agents may register with it",
				preset: "1",
			},
			days: { value: "N", help: "invite: how long it holds", preset: "7" },
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
		tell: sentences.invite,
		warn: warnOfRegistration,
		remark: "The code is told this once.",
	},
	invites: get("list invitations", "/invites", { tell: tellInvites }),
	"revoke-invite": {
		words: ["CODE"],
		help: "end an invitation, by its code or the code's first word, which invites lists",
		ask: ([code = ""]) => ({
			method: "POST",
			path: "/invites/revoke",
			body: { code },
		}),
		tell: sentences.revokeInvite,
	},
	stats: get("the house in numbers", "/stats"),
};
