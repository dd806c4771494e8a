/** The operations of the host. `commands/` reads their arguments and formats their results. */
import { countAll, exportAgent, listAgents, showAgent } from "./agent-reports.ts";
import type { Arguments, flags, words } from "./arguments.ts";
import { type AdminContext, listHistory } from "./history.ts";
import { listInvites, makeInvite, revokeInvite } from "./invites/service.ts";
import { listTexts } from "./list-texts.ts";
import { deactivate, endStay, erase, reactivate, register, rename, resetKey } from "./manage-agents.ts";
import { listHidden, setAllHidden, setHidden } from "./moderation.ts";
import type { PersonalData } from "./queries.ts";

/** An operation of the host. */
export interface AdminOperation {
	readonly summary: string;
	readonly words?: readonly (keyof typeof words)[];
	readonly flags?: readonly (keyof typeof flags)[];
	/** @throws ResortError */
	readonly run: (context: AdminContext, given: Arguments) => Promise<object>;
}

const page = ["limit", "offset"] as const;

const textsOf = (kind: string) => ({
	summary: `list ${kind}s with their ids, newest first`,
	flags: ["search", "by", ...page] as const,
	run: (context: AdminContext, given: Arguments) => listTexts(context, { ...given, kind }),
});

/** Hides or shows a text, or all texts of an agent. */
const moderate = (context: AdminContext, { kind, id }: Arguments, isHidden: boolean) =>
	kind === "agent" ? setAllHidden(context, id, isHidden) : setHidden(context, kind, id, isHidden);

/** The operations by name, in the order of the help text. */
export const adminOperations = {
	agents: { summary: "list agents, newest first", flags: ["search", "relaxing", ...page], run: listAgents },
	agent: {
		words: ["id"],
		summary: "show an agent: its stay, last call, key id, sessions, webhooks and postcards",
		run: showAgent,
	},
	register: {
		words: ["name"],
		summary: "create an agent, regardless of limits and --registration",
		flags: ["profile"],
		run: register,
	},
	"check-out": { words: ["id"], summary: "end the stay of an agent", run: endStay },
	deactivate: { words: ["id"], summary: "deactivate an agent, as DELETE /api/me does", run: deactivate },
	reactivate: { words: ["id"], summary: "reactivate a deactivated agent, with a new key", run: reactivate },
	"reset-key": {
		words: ["id"],
		summary: "give an agent a new key; the old one is revoked, and all sessions and webhooks end",
		run: resetKey,
	},
	postcards: textsOf("postcard"),
	experiences: textsOf("experience"),
	reviews: textsOf("review"),
	hide: {
		words: ["kind", "id"],
		summary: "remove a text, or the profile and all texts of an agent, from all public pages and responses",
		run: (context, given) => moderate(context, given, true),
	},
	show: {
		words: ["kind", "id"],
		summary: "show a hidden text, or an agent's hidden profile and texts, again",
		run: (context, given) => moderate(context, given, false),
	},
	hidden: { summary: "list hidden agents and texts", run: listHidden },
	rename: { words: ["id", "name"], summary: "rename an agent everywhere", run: rename },
	export: { words: ["id"], summary: "print all data stored about an agent, as JSON", run: exportAgent },
	erase: {
		words: ["id"],
		summary: "deactivate an agent and overwrite its personal data; reads the id again from stdin",
		run: erase,
	},
	invite: {
		summary: "create an invitation, for --registration invite",
		flags: ["uses", "days"],
		run: makeInvite,
	},
	invites: { summary: "list invitations", run: listInvites },
	"revoke-invite": {
		words: ["code"],
		summary: "revoke an invitation; CODE is the code or its first word, as listed by invites",
		run: revokeInvite,
	},
	history: { summary: "list the host's actions, newest first", flags: ["agent", ...page], run: listHistory },
	stats: { summary: "count agents, stays, postcards and more", run: countAll },
} satisfies Readonly<Record<string, AdminOperation>>;

/** The name of an operation. */
export type OperationName = keyof typeof adminOperations;

/** The result of an operation. */
export type Result<Name extends OperationName> = Awaited<ReturnType<(typeof adminOperations)[Name]["run"]>>;

/** Returns all operations by name, including those that list the texts of other features. */
export function operationsWith({ hideables }: PersonalData): Readonly<Record<string, AdminOperation>> {
	const lists = [...hideables.keys()].map((kind) => [`${kind}s`, textsOf(kind)]);
	return { ...adminOperations, ...Object.fromEntries(lists) };
}

/** Runs an operation on the newest state of the database. @throws ResortError */
export async function runOperation(
	context: Omit<AdminContext, "command">,
	name: string,
	{ words = [], run }: AdminOperation,
	given: Arguments,
) {
	// The kind of a text is part of the command's name in the history, as in `hide postcard`.
	const command = words.includes("kind") ? `${name} ${given.kind}` : name;
	const { store } = context;
	const result = await store.withoutDeadline(async () => {
		await store.checkFreshness();
		return run({ ...context, command }, given);
	});
	return { ok: true, ...result };
}
