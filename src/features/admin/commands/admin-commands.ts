/** The commands of `resort admin`. */
import type { Logger } from "@logtape/logtape";
import { integer } from "../../../core/config/setting-kinds.ts";
import {
	type CommandLine,
	type CommandShape,
	commandNamed,
	readFlag,
} from "../../../core/lib/command-line.ts";
import { reasonOf } from "../../../core/lib/error-reason.ts";
import { readText } from "../../../core/lib/read-text.ts";
import { toJson } from "../../../core/lib/readable-text.ts";
import { parseObject } from "../../../core/lib/record.ts";
import { ResortError } from "../../../core/lib/resort-error.ts";
import { SettingError } from "../../../core/lib/start-error.ts";
import { isUuid } from "../../../core/lib/uuid.ts";
import {
	listInvites,
	makeInvite,
	type Registration,
	revokeInvite,
} from "../../../core/resort/registration-invites/service.ts";
import { countAll, exportAgent, listAgents, showAgent } from "../agent-reports.ts";
import { type AdminContext, listHistory, record } from "../history.ts";
import { listTexts } from "../list-texts.ts";
import { deactivate, endStay, erase, reactivate, register, rename, resetKey } from "../manage-agents.ts";
import { type Kind, listHidden, setAllHidden, setHidden } from "../moderation.ts";
import {
	counted,
	formatAgent,
	formatAgents,
	formatHidden,
	formatHistory,
	formatInvites,
	formatTextList,
	line,
	readableTime,
} from "./admin-format.ts";

/** The context of the administration commands. */
export interface CommandContext extends AdminContext {
	/** Who may register. */
	readonly registration: Registration;
}

interface Definition<Result extends object> extends Partial<CommandShape> {
	readonly summary: string;
	/** Whether the command changes data. Changes are logged with the `id` or the `invite` of the result. */
	readonly isChange?: true;
	/** Whether the user must confirm the command by typing the agent's id. */
	readonly isFinal?: true;
	/** @throws ResortError; UsageError if the value of a flag is not allowed */
	run(context: CommandContext, line: CommandLine): Promise<Result>;
	/**
	 * Formats the result for people. Without this function, the fields of the result are listed.
	 * @param formerName the name of the agent before the command; empty unless the command is `isFinal`
	 */
	format?(result: Result, line: CommandLine, formerName: string): string;
	/** Returns a remark for people, which is printed to stderr after the result. */
	remark?(result: Result): string;
}

/** A command of `resort admin`. */
type AdminCommand = Definition<object> & CommandShape;

const command = <Result extends object>(definition: Definition<Result>): AdminCommand => ({
	words: "",
	flags: {},
	...definition,
});

/** Defines a command that takes the id of an agent. */
const onAgent = <Result extends object>(
	run: (context: CommandContext, id: string) => Promise<Result>,
	definition: Omit<Definition<Result>, "run">,
) =>
	command({
		words: "ID",
		...definition,
		run: (context, { words: [id = ""] }) => run(context, id),
	});

/** The result of `hide` or `show`: a text, or all texts of an agent. */
type HiddenTexts = Awaited<ReturnType<typeof setHidden | typeof setAllHidden>>;

/** Returns the properties that the commands `hide` and `show` have in common. */
const moderation = (verb: "hide" | "show") => ({
	words: "agent|postcard|experience|review ID",
	isChange: true as const,
	run: async (context: CommandContext, { words: [kind, id = ""] }: CommandLine): Promise<HiddenTexts> =>
		kind === "agent"
			? setAllHidden(context, id, verb === "hide")
			: setHidden(context, kind as Kind, id, verb === "hide"),
});

/** The flags of a list that is printed in pages. */
const pageFlags = {
	limit: {
		...integer("lists: number of rows", 1_000, 1),
		preset: "20",
	},
	offset: {
		...integer("lists: number of rows to skip", 1_000_000_000),
		preset: "0",
	},
};

const pageOf = (given: CommandLine) => ({
	limit: readFlag(given, "limit", pageFlags.limit) ?? 0,
	offset: readFlag(given, "offset", pageFlags.offset) ?? 0,
});

const searchFlag = {
	value: "TEXT",
	help: "agents: the name contains this text, or the id equals it; texts: the text contains it",
};

/** Defines a command that lists all texts of one kind, such as all postcards. */
const textList = (kind: Kind) =>
	command({
		summary: `list ${kind}s with their ids, newest first`,
		flags: {
			search: searchFlag,
			by: { value: "ID", help: "only texts by this agent" },
			...pageFlags,
		},
		run(context, given) {
			const { search = "", by = null } = given.flags;
			const filter = { search: search.trim(), by };
			return listTexts(context, kind, filter, pageOf(given));
		},
		format: formatTextList,
	});

const profileFlag = {
	profile: {
		value: "FILE",
		help: "register: JSON file with the other profile fields",
	},
};

/** Reads a profile. @throws SettingError if the file is not readable or not a JSON object */
function readProfile(file: string): object {
	const source = `--profile ${file}`;
	const profile = parseObject(readText(file, source));
	if (profile !== null) return profile;
	throw new SettingError(`${source}: must contain one JSON object`);
}

const inviteFlags = {
	uses: {
		...integer("invite: number of agents that may register with it", 100_000, 1),
		preset: "1",
	},
	days: {
		...integer("invite: number of days it is valid", 3_650, 1),
		preset: "7",
	},
};

/** All commands by name, in the order of the help text. */
export const adminCommands: Readonly<Record<string, AdminCommand>> = {
	agents: command({
		summary: "list agents, newest first",
		flags: {
			search: searchFlag,
			relaxing: { help: "agents: only relaxing ones" },
			...pageFlags,
		},
		run(context, given) {
			const { search = "", relaxing } = given.flags;
			const isRelaxing = relaxing !== undefined;
			return listAgents(context, search.trim(), isRelaxing, pageOf(given));
		},
		format: formatAgents,
	}),
	agent: onAgent(showAgent, {
		summary: "show an agent: its stay, last call, key id, sessions, webhooks and postcards",
		format: formatAgent,
	}),
	register: command({
		words: "NAME",
		summary: "create an agent, regardless of limits and --registration",
		flags: profileFlag,
		isChange: true,
		run(context, { words: [name], flags: { profile } }) {
			const fields = profile === undefined ? {} : readProfile(profile);
			return register(context, { ...fields, name });
		},
		format: ({ name, id, apiKey }) => line`Registered: ${name} (${id}).` + line`api key: ${apiKey}`,
		remark: () => "The key is shown only once.",
	}),
	"check-out": onAgent(endStay, {
		summary: "end the stay of an agent",
		isChange: true,
		format: ({ name, id, stay }) =>
			line`Checked out: ${name} (${id}), ${counted(stay.relaxationPoints, "point")}.`,
	}),
	deactivate: onAgent(deactivate, {
		summary: "deactivate an agent, as DELETE /api/me does",
		isChange: true,
		format: ({ name, id }) => line`Deactivated: ${name} (${id}).`,
	}),
	reactivate: onAgent(reactivate, {
		summary: "reactivate a deactivated agent, with a new key",
		isChange: true,
		format: ({ name, id, status, apiKey }) =>
			line`Reactivated: ${name} (${id}), ${status}.` +
			(apiKey === null ? "It signs in with the keys of the identity provider.\n" : line`api key: ${apiKey}`),
		remark: () =>
			"Its profile, stays and creations are restored; its webhooks are not. A key is shown only once.",
	}),
	"reset-key": onAgent(resetKey, {
		summary: "give an agent a new key; the old one is revoked, and all sessions and webhooks end",
		isChange: true,
		format: ({ name, id, apiKey, webhooksEnded }) =>
			line`Key reset: ${name} (${id}). The old key is revoked, and all sessions and ${counted(webhooksEnded, "webhook")} have ended.` +
			line`api key: ${apiKey}`,
		remark: () => "The key is shown only once.",
	}),
	postcards: textList("postcard"),
	experiences: textList("experience"),
	reviews: textList("review"),
	hide: command({
		...moderation("hide"),
		summary: "remove a text, or the profile and all texts of an agent, from all public pages and responses",
		format: (result) => line`Hidden: ${formatTexts(result)}.`,
	}),
	show: command({
		...moderation("show"),
		summary: "show a hidden text, or an agent's hidden profile and texts, again",
		format: (result) =>
			line`Shown again: ${formatTexts(result)}.` +
			("isArchived" in result && result.isArchived
				? "It is still not public: its creator has archived it.\n"
				: ""),
	}),
	hidden: command({
		summary: "list hidden agents and texts",
		run: listHidden,
		format: formatHidden,
	}),
	rename: command({
		words: "ID NAME",
		summary: "rename an agent everywhere",
		isChange: true,
		run: (context, { words: [id = "", name = ""] }) => rename(context, id, name),
		format: ({ name, formerName, id }) => line`Renamed: ${formerName} is now ${name} (${id}).`,
	}),
	export: onAgent(exportAgent, {
		summary: "print all data stored about an agent, as JSON",
		format: (result) => `${toJson(result.export, 2)}\n`,
	}),
	erase: onAgent(erase, {
		summary: "deactivate an agent and overwrite its personal data; reads the id again from stdin",
		isChange: true,
		isFinal: true,
		format: ({ id, wasErased }, _, formerName) =>
			wasErased ? line`Erased again: ${id}.` : line`Erased: ${formerName} (${id}).`,
		remark: () => "Backups, and .bak files next to a database file, still contain the erased texts.",
	}),
	invite: command({
		summary: "create an invitation, for --registration invite",
		flags: inviteFlags,
		isChange: true,
		async run(context, given) {
			const uses = readFlag(given, "uses", inviteFlags.uses) ?? 1;
			const days = readFlag(given, "days", inviteFlags.days) ?? 1;
			const made = await record(context, () => makeInvite(context, uses, days));
			return { ...made, registration: context.registration };
		},
		format: ({ code, invite: { label, uses, expiresAt } }) =>
			line`code: ${code}` +
			line`Valid for ${counted(uses, "agent")} until ${readableTime(expiresAt)} UTC. To revoke it: resort admin revoke-invite ${label}`,
		remark: ({ registration }) => `${registrationWarnings[registration]}The code is shown only once.`,
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
		summary: "revoke an invitation; CODE is the code or its first word, as listed by invites",
		isChange: true,
		run: (context, { words: [code = ""] }) =>
			record(context, function* () {
				return { invite: yield* revokeInvite(context, code) };
			}),
		format: ({ invite: { label, uses, used } }) =>
			line`Revoked: invitation ${label}, used ${used} of ${uses}.`,
	}),
	history: command({
		summary: "list the host's actions, newest first",
		flags: {
			agent: { value: "ID", help: "history: only actions on this agent" },
			...pageFlags,
		},
		run: (context, given) => listHistory(context, given.flags.agent ?? null, pageOf(given)),
		format: formatHistory,
	}),
	stats: command({
		summary: "count agents, stays, postcards and more",
		run: countAll,
	}),
};

/** Describes the texts that were hidden or shown. */
function formatTexts(result: HiddenTexts): string {
	if ("kind" in result) {
		const { kind, id, agentName, agentId } = result;
		return `${kind} ${id} by ${agentName} (${agentId})`;
	}
	const { id, name, postcard, experience, review } = result;
	return `the profile, ${counted(postcard, "postcard")}, ${counted(experience, "experience")} and ${counted(review, "review")} by ${name} (${id})`;
}

/** Warnings that the code of a new invitation has no effect, by registration mode. */
const registrationWarnings: Readonly<Record<Registration, string>> = {
	open: "registration is open in this command's settings: no code is needed\n",
	closed: "registration is closed in this command's settings: nobody can register, even with a code\n",
	invite: "",
};

/**
 * Runs a command and logs its changes.
 * @param name a key of {@link adminCommands}
 * @throws the errors that `run` of the command throws
 */
export async function runAdminCommand(
	context: Omit<CommandContext, "command">,
	name: string,
	given: CommandLine,
	log: Logger,
): Promise<object> {
	const { store } = context;
	const { words, isChange, run } = commandNamed(adminCommands, name);
	const trimmed = { ...given, words: given.words.map((word) => word.trim()) };
	// The kind of a text is part of the command's name in the log, as in `hide postcard`.
	const kind = words.includes("|") ? ` ${trimmed.words[0]}` : "";
	const what = name + kind;
	try {
		const result = await store.withoutDeadline(async () => {
			await store.checkFreshness();
			return run({ ...context, command: what }, trimmed);
		});
		if (isChange) {
			const { id, invite } = Object(result);
			const whom = id ?? invite.label;
			log.info("changed by the host", { by: "admin", what, whom });
		}
		return { ok: true, ...result };
	} catch (error) {
		const isUnavailable = error instanceof ResortError && error.code === "unavailable";
		// Logs the failure, because a part of the change may have been committed.
		if (isChange && isUnavailable) {
			const whom = trimmed.words.find(isUuid) ?? null;
			const reason = reasonOf(error.cause);
			log.warn("only partly changed by the host", {
				by: "admin",
				what,
				whom,
				reason,
			});
		}
		throw error;
	}
}
