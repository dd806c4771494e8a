/** The commands of `resort admin`, and the operations that they run. */
import { MAX_DAYS, MAX_USES } from "../admin/bounds.ts";
import { toJson } from "../client/terminal-text.ts";
import type { Flags } from "../config/setting-sources.ts";
import { wholeNumber } from "../lib/text.ts";
import {
	type Fields,
	formatAgent,
	formatAgents,
	formatHidden,
	formatInvites,
	registrationWarning,
	sentences,
} from "./admin-format.ts";
import type { FlagHelp } from "./flags.ts";

/** An operation and its input. */
export interface AdminCall {
	readonly operation: string;
	readonly input?: object;
}

/** A command of `resort admin`. */
export interface AdminCommand {
	/** Its arguments in the help text. */
	readonly words: readonly string[];
	readonly help: string;
	/** Flags of this command alone. */
	readonly flags?: Readonly<Record<string, FlagHelp>>;
	/** Whether the id must be typed again before the command runs. */
	readonly isFinal?: true;
	/** A note for people, printed on stderr after the result. */
	readonly remark?: string;
	/** Formats the result for people. Without it the fields are listed. */
	readonly format?: (result: Fields, flags: Flags) => string;
	/** Returns a warning for people, printed on stderr; empty if there is none. */
	readonly warn?: (result: Fields) => string;
	/**
	 * @param words as many as {@link AdminCommand.words}
	 * @returns the call, or what is wrong with the command line
	 */
	call(words: readonly string[], flags: Flags): AdminCall | string;
}

const kinds = ["postcard", "experience", "review"];

const onAgent = (
	help: string,
	operation: string,
	more: Pick<AdminCommand, "isFinal" | "remark" | "format">,
): AdminCommand => ({
	words: ["ID"],
	help,
	...more,
	call: ([id = ""]) => ({ operation, input: { id } }),
});

const moderate = (verb: "hide" | "show", help: string): AdminCommand => ({
	words: ["postcard|experience|review", "ID"],
	help,
	format: sentences[verb],
	call: ([kind = "", id = ""]) =>
		kinds.includes(kind)
			? {
					operation: `${verb}${kind[0]?.toUpperCase()}${kind.slice(1)}`,
					input: { id },
				}
			: `${verb} takes postcard, experience or review, and an id`,
});

const list = (
	help: string,
	operation: string,
	more: Pick<AdminCommand, "format"> = {},
): AdminCommand => ({ words: [], help, ...more, call: () => ({ operation }) });

/** All commands by name, in the order of the help text. */
export const adminCommands: Readonly<Record<string, AdminCommand>> = {
	agents: {
		words: [],
		help: "list agents, the newest first",
		flags: {
			search: {
				value: "TEXT",
				help: "agents: whose name contains this, or whose id it is",
			},
			relaxing: { help: "agents: only those that are relaxing" },
		},
		call: (_, { search, relaxing }) => ({
			operation: "listAgents",
			input: {
				...(search !== undefined && { search }),
				relaxing: relaxing !== undefined,
			},
		}),
		format: formatAgents,
	},
	agent: onAgent(
		"show an agent: its stay, last call, key id, sessions and postcards",
		"showAgent",
		{ format: formatAgent },
	),
	"check-out": onAgent("end the stay of an agent", "endStay", {
		format: sentences.checkOut,
	}),
	deactivate: onAgent(
		"deactivate an agent, as it could itself",
		"deactivateAgent",
		{ format: sentences.deactivate },
	),
	reactivate: onAgent(
		"let a deactivated agent come back, with a new key",
		"reactivateAgent",
		{
			format: sentences.reactivate,
			remark:
				"Its profile, stays and creations are back; its webhooks are not. A key is shown only once.",
		},
	),
	"reset-key": onAgent(
		"give an agent a new key; the old one and all sessions end",
		"resetKey",
		{ format: sentences.resetKey, remark: "The key is shown only once." },
	),
	hide: moderate("hide", "take something from every public place"),
	show: moderate("show", "put it back"),
	hidden: list("list what is hidden", "listHidden", { format: formatHidden }),
	rename: {
		words: ["ID", "NAME"],
		help: "give an agent another name, everywhere",
		call: ([id = "", name = ""]) => ({
			operation: "renameAgent",
			input: { id, name },
		}),
		format: sentences.rename,
	},
	export: onAgent(
		"print everything that is stored about an agent, as JSON",
		"exportAgent",
		{ format: (result) => `${toJson(result.export, 2)}\n` },
	),
	erase: onAgent(
		"deactivate an agent and overwrite what identifies it; asks for the id again on stdin",
		"eraseAgent",
		{
			isFinal: true,
			format: sentences.erase,
			remark:
				"Copies still contain the erased texts: back-ups, and .bak files beside a database file.",
		},
	),
	invite: {
		words: [],
		help: "create an invitation, for --registration invite",
		flags: {
			uses: {
				value: "N",
				help: "invite: how many agents may register with it",
				preset: "1",
			},
			days: { value: "N", help: "invite: how long it is valid", preset: "7" },
		},
		call(_, { uses, days }) {
			for (const [name, text, most] of [
				["uses", uses, MAX_USES],
				["days", days, MAX_DAYS],
			] as const) {
				if (text !== undefined && wholeNumber(text, most, 1) === undefined) {
					return `--${name}: must be a whole number from 1 to ${most}`;
				}
			}
			return {
				operation: "makeInvite",
				input: {
					...(uses !== undefined && { uses: Number(uses) }),
					...(days !== undefined && { days: Number(days) }),
				},
			};
		},
		format: sentences.invite,
		warn: registrationWarning,
		remark: "The code is shown only once.",
	},
	invites: list("list invitations", "listInvites", { format: formatInvites }),
	"revoke-invite": {
		words: ["CODE"],
		help: "end an invitation, by its code or the code's first word, which invites lists",
		call: ([code = ""]) => ({ operation: "revokeInvite", input: { code } }),
		format: sentences.revokeInvite,
	},
	stats: list("count agents, stays, postcards and more", "getHouseStats"),
};
