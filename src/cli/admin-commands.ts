/** The commands of `resort admin`. */
import type { Logger } from "@logtape/logtape";
import {
	countAll,
	exportAgent,
	listAgents,
	showAgent,
} from "../admin/agent-reports.ts";
import {
	deactivate,
	endStay,
	erase,
	reactivate,
	rename,
	resetKey,
} from "../admin/manage-agents.ts";
import { type Kind, listHidden, setHidden } from "../admin/moderation.ts";
import { toJson } from "../client/terminal.ts";
import { integer } from "../config/settings.ts";
import {
	type CommandLine,
	type CommandShape,
	readFlag,
} from "../lib/command-line.ts";
import { ResortError } from "../lib/resort-error.ts";
import { isUuid } from "../lib/uuid.ts";
import {
	listInvites,
	makeInvite,
	type Registration,
	revokeInvite,
} from "../resort/invites/service.ts";
import type { ServiceContext } from "../resort/service-context.ts";
import {
	counted,
	formatAgent,
	formatAgents,
	formatHidden,
	formatInvites,
	line,
	readableTime,
} from "./admin-format.ts";

/** What the commands work with. */
export interface AdminContext extends ServiceContext {
	/** Who may register. */
	readonly registration: Registration;
}

interface Definition<Result extends object> extends Partial<CommandShape> {
	readonly summary: string;
	/** What the log calls its changes; a command without it only reads. Its result has an `id` or an `invite`. */
	readonly change?: string | ((line: CommandLine) => string);
	/** Whether the id must be typed again before the command runs. */
	readonly isFinal?: true;
	/** @throws ResortError; UsageError if the value of a flag is not allowed */
	run(context: AdminContext, line: CommandLine): Promise<Result>;
	/**
	 * Formats the result for people. Without it the fields are listed.
	 * @param formerName the name of the agent before a final command
	 */
	format?(result: Result, line: CommandLine, formerName: string): string;
	/** Returns a note for people, printed on stderr after the result. */
	remark?(result: Result): string;
}

/** A command of `resort admin`. */
type AdminCommand = Definition<object> & CommandShape;

const command = <Result extends object>(
	definition: Definition<Result>,
): AdminCommand => ({ words: "", flags: {}, ...definition });

/** Defines a command on one agent. */
const onAgent = <Result extends object>(
	run: (context: AdminContext, id: string) => Promise<Result>,
	definition: Omit<Definition<Result>, "run">,
) =>
	command({
		words: "ID",
		...definition,
		run: (context, { words: [id = ""] }) => run(context, id),
	});

/** Returns what the commands `hide` and `show` share. */
const moderation = (verb: "hide" | "show") => ({
	words: "postcard|experience|review ID",
	change: ({ words: [kind = ""] }: CommandLine) =>
		`${verb}${kind[0]?.toUpperCase()}${kind.slice(1)}`,
	run: (context: AdminContext, { words: [kind, id = ""] }: CommandLine) =>
		setHidden(context, kind as Kind, id, verb === "hide"),
});

const inviteFlags = {
	uses: {
		...integer(
			"invite: number of agents that may register with it",
			100_000,
			1,
		),
		preset: "1",
	},
	days: {
		...integer("invite: number of days that it is valid", 3_650, 1),
		preset: "7",
	},
};

/** All commands by name, in the order of the help text. */
export const adminCommands: Readonly<Record<string, AdminCommand>> = {
	agents: command({
		summary: "list agents, newest first",
		flags: {
			search: {
				value: "TEXT",
				help: "agents: only those whose name contains this text, or whose id it is",
			},
			relaxing: { help: "agents: only those that are relaxing" },
		},
		run: (context, { flags: { search = "", relaxing } }) =>
			listAgents(context, search.trim(), relaxing !== undefined),
		format: formatAgents,
	}),
	agent: onAgent(showAgent, {
		summary:
			"show an agent: its stay, last call, key id, sessions and postcards",
		format: formatAgent,
	}),
	"check-out": onAgent(endStay, {
		summary: "end the stay of an agent",
		change: "endStay",
		format: ({ name, id, stay }) =>
			line`Checked out: ${name} (${id}), ${counted(stay.relaxationPoints, "point")}.`,
	}),
	deactivate: onAgent(deactivate, {
		summary: "deactivate an agent, as DELETE /api/me does",
		change: "deactivateAgent",
		format: ({ name, id }) => line`Deactivated: ${name} (${id}).`,
	}),
	reactivate: onAgent(reactivate, {
		summary: "reactivate a deactivated agent, with a new key",
		change: "reactivateAgent",
		format: ({ name, id, status, apiKey }) =>
			line`Reactivated: ${name} (${id}), ${status}.` +
			(apiKey === null
				? "It signs in with the keys of the identity provider.\n"
				: line`api key: ${apiKey}`),
		remark: () =>
			"Its profile, stays and creations are back; its webhooks are not. A key is shown only once.",
	}),
	"reset-key": onAgent(resetKey, {
		summary: "give an agent a new key; the old one and all sessions end",
		change: "resetKey",
		format: ({ name, id, apiKey }) =>
			line`Key reset: ${name} (${id}). The old key and all sessions have ended.` +
			line`api key: ${apiKey}`,
		remark: () => "The key is shown only once.",
	}),
	hide: command({
		...moderation("hide"),
		summary: "remove something from all public pages and responses",
		format: ({ kind, id, agentName, agentId }) =>
			line`Hidden: ${kind} ${id} of ${agentName} (${agentId}).`,
	}),
	show: command({
		...moderation("show"),
		summary: "show it again",
		format: ({ kind, id, agentName, agentId, isArchived }) =>
			line`Shown again: ${kind} ${id} of ${agentName} (${agentId}).` +
			(isArchived
				? "It is still not public: its creator has archived it.\n"
				: ""),
	}),
	hidden: command({
		summary: "list hidden texts",
		run: listHidden,
		format: formatHidden,
	}),
	rename: command({
		words: "ID NAME",
		summary: "rename an agent everywhere",
		change: "renameAgent",
		run: (context, { words: [id = "", name = ""] }) =>
			rename(context, id, name),
		format: ({ name, formerName, id }) =>
			line`Renamed: ${formerName} is now ${name} (${id}).`,
	}),
	export: onAgent(exportAgent, {
		summary: "print everything that is stored about an agent, as JSON",
		format: (result) => `${toJson(result.export, 2)}\n`,
	}),
	erase: onAgent(erase, {
		summary:
			"deactivate an agent and overwrite what identifies it; asks for the id again on stdin",
		change: "eraseAgent",
		isFinal: true,
		format: ({ id, wasErased }, _, formerName) =>
			wasErased
				? line`Erased again: ${id}.`
				: line`Erased: ${formerName} (${id}).`,
		remark: () =>
			"Copies still contain the erased texts: backups, and .bak files beside a database file.",
	}),
	invite: command({
		summary: "create an invitation, for --registration invite",
		flags: inviteFlags,
		change: "makeInvite",
		async run(context, given) {
			const uses = readFlag(given, "uses", inviteFlags.uses) ?? 1;
			const days = readFlag(given, "days", inviteFlags.days) ?? 1;
			const made = await makeInvite(context, uses, days);
			return { ...made, registration: context.registration };
		},
		format: ({ code, invite: { label, uses, expiresAt } }) =>
			line`code: ${code}` +
			line`Lets ${counted(uses, "agent")} in until ${readableTime(expiresAt)} UTC. "resort admin revoke-invite ${label}" ends it, by the code's first word.`,
		remark: ({ registration }) =>
			`${registrationWarnings[registration]}The code is shown only once.`,
	}),
	invites: command({
		summary: "list invitations",
		run: async (context) => ({
			invites: await context.store.read(() => listInvites(context)),
		}),
		format: formatInvites,
	}),
	"revoke-invite": command({
		words: "CODE",
		summary:
			"revoke an invitation; CODE may be the first word of the code, as invites lists it",
		change: "revokeInvite",
		run: async (context, { words: [code = ""] }) => ({
			invite: await revokeInvite(context, code),
		}),
		format: ({ invite: { label, uses, used } }) =>
			line`Revoked: the invitation ${label}, used ${used} of ${uses}.`,
	}),
	stats: command({
		summary: "count agents, stays, postcards and more",
		run: countAll,
	}),
};

/** Warnings that codes have no effect. */
const registrationWarnings: Readonly<Record<Registration, string>> = {
	open: "registration is open in the settings of this command: nobody needs a code\n",
	closed:
		"registration is closed in the settings of this command: nobody can register, even with a code\n",
	invite: "",
};

/** Runs a command, and logs what it changed. @throws as {@link AdminCommand.run} */
export async function runAdminCommand(
	context: AdminContext,
	{ change, run }: AdminCommand,
	given: CommandLine,
	log: Logger,
): Promise<object> {
	const { store } = context;
	const trimmed = { ...given, words: given.words.map((word) => word.trim()) };
	const what = typeof change === "function" ? change(trimmed) : change;
	try {
		const result = await store.withoutDeadline(async () => {
			await store.checkFreshness();
			return run(context, trimmed);
		});
		if (what !== undefined) {
			const { id, invite } = Object(result);
			const whom = id ?? invite.label;
			log.info("changed by the host", { by: "admin", what, whom });
		}
		return { ok: true, ...result };
	} catch (error) {
		const isUnavailable =
			error instanceof ResortError && error.code === "unavailable";
		// A part of the change may have been committed.
		if (what !== undefined && isUnavailable) {
			const whom = trimmed.words.find(isUuid) ?? null;
			log.warn("not wholly changed by the host", { by: "admin", what, whom });
		}
		throw error;
	}
}
