/** The commands of `resort admin`, and the operations that they run. */
import { MAX_DAYS, MAX_USES } from "../admin/operations.ts";
import { toJson } from "../client/terminal-text.ts";
import {
	type CommandLine,
	type CommandShape,
	readFlag,
} from "../lib/command-line.ts";
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

/** An operation and its input. */
export interface AdminCall {
	readonly operation: string;
	readonly input?: object;
}

/** A command of `resort admin`. */
export interface AdminCommand extends CommandShape {
	/** Whether the id must be typed again before the command runs. */
	readonly isFinal?: true;
	/** A note for people, printed on stderr after the result. */
	readonly remark?: string;
	/** Formats the result for people. Without it the fields are listed. */
	readonly format?: (result: Fields, flags: CommandLine["flags"]) => string;
	/** Returns a warning for people, printed on stderr; empty if there is none. */
	readonly warn?: (result: Fields) => string;
	/** @throws UsageError if the value of a flag is not allowed */
	call(line: CommandLine): AdminCall;
}

const onAgent = (
	summary: string,
	operation: string,
	more: Pick<AdminCommand, "isFinal" | "remark" | "format">,
): AdminCommand => ({
	words: "ID",
	flags: {},
	summary,
	...more,
	call: ({ words: [id = ""] }) => ({ operation, input: { id } }),
});

const moderate = (verb: "hide" | "show", summary: string): AdminCommand => ({
	words: "postcard|experience|review ID",
	flags: {},
	summary,
	format: sentences[verb],
	call: ({ words: [kind = "", id = ""] }) => ({
		operation: `${verb}${kind[0]?.toUpperCase()}${kind.slice(1)}`,
		input: { id },
	}),
});

const list = (
	summary: string,
	operation: string,
	more: Pick<AdminCommand, "format"> = {},
): AdminCommand => ({
	words: "",
	flags: {},
	summary,
	...more,
	call: () => ({ operation }),
});

const count = (help: string, preset: string, most: number) => ({
	value: "N",
	help,
	preset,
	allowed: `a whole number from 1 to ${most}`,
	read: (text: string) => wholeNumber(text, most, 1),
});

const inviteFlags = {
	uses: count("invite: how many agents may register with it", "1", MAX_USES),
	days: count("invite: how long it is valid", "7", MAX_DAYS),
};

/** All commands by name, in the order of the help text. */
export const adminCommands: Readonly<Record<string, AdminCommand>> = {
	agents: {
		words: "",
		summary: "list agents, the newest first",
		flags: {
			search: {
				value: "TEXT",
				help: "agents: whose name contains this, or whose id it is",
			},
			relaxing: { help: "agents: only those that are relaxing" },
		},
		call: ({ flags: { search, relaxing } }) => ({
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
		words: "ID NAME",
		flags: {},
		summary: "give an agent another name, everywhere",
		call: ({ words: [id = "", name = ""] }) => ({
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
		words: "",
		summary: "create an invitation, for --registration invite",
		flags: inviteFlags,
		call: (line) => ({
			operation: "makeInvite",
			input: {
				uses: readFlag(line, "uses", inviteFlags.uses),
				days: readFlag(line, "days", inviteFlags.days),
			},
		}),
		format: sentences.invite,
		warn: registrationWarning,
		remark: "The code is shown only once.",
	},
	invites: list("list invitations", "listInvites", { format: formatInvites }),
	"revoke-invite": {
		words: "CODE",
		flags: {},
		summary:
			"end an invitation, by its code or the code's first word, which invites lists",
		call: ({ words: [code = ""] }) => ({
			operation: "revokeInvite",
			input: { code },
		}),
		format: sentences.revokeInvite,
	},
	stats: list("count agents, stays, postcards and more", "getHouseStats"),
};
