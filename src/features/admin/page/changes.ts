/** The changes that the host's page offers. Each runs an operation of `resort admin`. */
import { isLoopback } from "../../../core/lib/ip-address.ts";
import { invalid } from "../../../core/lib/resort-error.ts";
import type { Agent } from "../../../core/resort/agents/service.ts";
import type { Context } from "../../../core/resort/context.ts";
import { counted, guestText, sendingSentence } from "../../pages/fragments.ts";
import { type Html, html } from "../../pages/html.ts";
import { getAnyAgent } from "../any-agent.ts";
import type { Arguments } from "../arguments.ts";
import { readArguments } from "../commands/admin.ts";
import { formatResult, profileAnd, remarks } from "../commands/formats.ts";
import type { AdminContext } from "../history.ts";
import { requireName } from "../manage-agents.ts";
import { countTexts, findText } from "../moderation.ts";
import { type AdminOperation, adminOperations, runOperation } from "../operations.ts";

/** The context of the page's operations. */
export interface PageContext extends AdminContext, Pick<Context, "baseUrl"> {}

/** Submitted fields by name. */
export type Fields = Readonly<Record<string, string>>;

/** A change that the page offers. */
interface ChangeDefinition {
	/** The text of the button. */
	readonly button: string;
	/** Returns the change that undoes this one. Undefined if this change cannot be undone. */
	undo?(fields: Fields, result: object): Undo;
}

/** The change that undoes another one. */
type Undo = Pick<Change, "name" | "fields">;

/** What the changes do, and whether they can be undone. {@link effectOf} replaces the names in braces. */
const effects = {
	"check-out": "Ends the stay of {who}. It can check in again.",
	rename: "Renames {who} to {name} everywhere. You can undo this.",
	"reset-key":
		"Ends the key, sessions and webhooks of {who}, and shows a new key once. You cannot undo this.",
	deactivate: "Ends the key, sessions and webhooks of {who}, and hides its profile. You can reactivate it.",
	reactivate: "Restores the profile of {who}. A new key is shown once. You can deactivate it again.",
	hide: "Hides this {kind} from everyone but {who}. You can undo this.",
	"hide agent": "Hides {texts} of {who}. You can undo this.",
	show: "Shows this {kind} of {who} again. You can undo this.",
	"show agent": "Shows {texts} of {who} again. You can undo this.",
	invite: "Creates a code with which {uses} can register within {days}. You can revoke it.",
	"revoke-invite": "Ends the invitation {code}. Agents that have used it stay. You cannot undo this.",
} as const;

/** The name of an operation that the page can run. */
export type ChangeName = Exclude<keyof typeof effects, `${string} agent`>;

/** The changes. Each key is the name of the operation that makes the change. */
export const changes: Readonly<Record<ChangeName, ChangeDefinition>> = {
	"check-out": { button: "Check out" },
	rename: {
		button: "Rename",
		undo: (fields, { formerName }: { readonly formerName: string }) => {
			return { name: "rename", fields: { ...fields, name: formerName } };
		},
	},
	"reset-key": { button: "Give it a new key" },
	deactivate: { button: "Deactivate", undo: (fields) => ({ name: "reactivate", fields }) },
	reactivate: { button: "Reactivate", undo: (fields) => ({ name: "deactivate", fields }) },
	hide: { button: "Hide", undo: (fields) => ({ name: "show", fields }) },
	show: { button: "Show again", undo: (fields) => ({ name: "hide", fields }) },
	invite: {
		button: "Create an invitation",
		undo: (_, { invite }: { readonly invite: { readonly label: string } }) => {
			return { name: "revoke-invite", fields: { code: invite.label } };
		},
	},
	"revoke-invite": { button: "Revoke" },
};

/** The changes that hide or end something. Their confirmation buttons have the class `grave`. */
export const graveChanges: readonly ChangeName[] = ["hide", "deactivate", "reset-key", "revoke-invite"];

/** Returns the sentences that say what a change does. */
export function effectOf({ name, given }: Change, target: Target | null): Html {
	const { kind, code } = given;
	const counts = { uses: counted(given.uses, "agent"), days: counted(given.days, "day") };
	const own = { who: target?.agent.name ?? "", texts: target?.texts ?? "", name: given.name };
	const values: Readonly<Record<string, string>> = { kind, code, ...counts, ...own };
	const isAll = kind === "agent" && (name === "hide" || name === "show");
	const parts = effects[isAll ? (`${name} agent` as const) : name].split(/[{}]/);
	return html`${parts.map((part, at) => (at % 2 === 0 ? part : guestText(values[part] ?? "")))}`;
}

/** A change with its arguments. */
export interface Change {
	readonly name: ChangeName;
	/** The fields that determine the change. Other submitted fields are not part of it. */
	readonly fields: Fields;
	readonly given: Arguments;
	/** The page that the host was on before: its path below /admin, with the query. */
	readonly from: string;
}

/** Matches the paths of lists and agents below /admin, with or without a query. */
const placePattern = /^(?!\/change)(?:\/[\w-]+)+(?:\?.*)?$/;

/**
 * Returns the arguments of an operation from the fields of a form or a query. Other fields are ignored.
 * @throws UsageError if the value of a flag is not allowed
 */
export function argumentsOf(operation: AdminOperation, fields: Fields): Arguments {
	// `profile` names a file on the machine of the resort. A browser must not choose such a file.
	const own = (operation.flags ?? []).filter((flag) => flag !== "profile" && fields[flag]);
	return readArguments(operation, {
		words: (operation.words ?? []).map((word) => fields[word] ?? ""),
		flags: Object.fromEntries(own.map((flag) => [flag, fields[flag] ?? ""])),
		values: new Map(),
		program: null,
	});
}

/**
 * Reads a change from the fields of a form. `change` is the name of the change, and `from` is the path of the
 * page from which the host came.
 * @throws ResortError `invalid` if there is no such change, or an argument is missing; UsageError
 */
export function readChange({ personalData }: AdminContext, sent: Fields): Change {
	const { change = "", from = "" } = sent;
	if (!Object.hasOwn(changes, change)) throw invalid("There is no such change");
	const name = change as ChangeName;
	const operation: AdminOperation = adminOperations[name];
	const given = argumentsOf(operation, sent);
	for (const word of operation.words ?? []) {
		if (given[word] === "") throw invalid(`The ${word} is missing`);
	}
	if (given.kind !== "agent" && !personalData.hideables.has(given.kind))
		throw invalid("There is no such kind");
	// Checks the name before the page asks for confirmation.
	if (name === "rename") requireName(given.name);
	const names = [...(operation.words ?? []), ...(operation.flags ?? [])].filter((one) => sent[one]);
	return {
		name,
		fields: Object.fromEntries(names.map((one) => [one, (sent[one] ?? "").trim()])),
		given,
		from: placePattern.test(from) ? from : name.endsWith("invite") ? "/invites" : `/${given.kind}s`,
	};
}

/** What a change concerns: an agent, or a text of an agent. */
export interface Target {
	readonly agent: Agent;
	/** Null if the change concerns the agent itself. */
	readonly text: string | null;
	/** Describes what hiding or showing the agent would change: its profile, and the numbers of its texts. */
	readonly texts: string;
}

/**
 * Returns what a change concerns; null if it concerns no agent.
 * @throws ResortError `not_found`
 */
export async function targetOf(context: AdminContext, { name, given }: Change): Promise<Target | null> {
	const operation: AdminOperation = adminOperations[name];
	const { kind, id } = given;
	if (operation.words?.includes("id") !== true) return null;
	return context.store.read(function* () {
		const { agent, text } =
			kind === "agent"
				? { agent: yield* getAnyAgent(context.store, id), text: null }
				: yield* findText(context, kind, id);
		if (name !== "hide" && name !== "show") return { agent, text, texts: "" };
		const hiddenAt = name === "show" ? agent.textsHiddenAt : null;
		return { agent, text, texts: profileAnd(yield* countTexts(context, agent.id, hiddenAt)) };
	});
}

/** Returns the changes to offer: `change` and, if it hides a text, hiding everything by the author. */
export function choicesOf(context: AdminContext, change: Change, target: Target | null): Change[] {
	const { name, given, from } = change;
	if (name !== "hide" || given.kind === "agent") return [change];
	return [change, readChange(context, { change: name, kind: "agent", id: target?.agent.id ?? "", from })];
}

/** A change that has been made. */
export interface Done {
	/** Lines that say what has been done. For an invitation, a text to send to the owner of an agent. */
	readonly report: string;
	readonly remark: string | null;
	/** The change that undoes this one; null if it cannot be undone. */
	readonly undo: Undo | null;
}

/**
 * Makes a change.
 * @throws ResortError
 */
export async function makeChange(context: PageContext, { name, fields, given }: Change): Promise<Done> {
	const result = await runOperation(context, name, adminOperations[name], given);
	return {
		report:
			"code" in result
				? `Give your agent: ${sendingSentence(context.baseUrl)} Your inviteCode: ${result.code}`
				: formatResult(name, result, given),
		remark: name === "invite" ? inviteRemark(context, given) : (remarks[name] ?? null),
		undo: changes[name].undo?.(fields, result) ?? null,
	};
}

/** Returns what the host should know about an invitation before sending it. */
function inviteRemark({ baseUrl }: PageContext, { uses, days }: Arguments): string {
	const validity = `${remarks.invite} It is valid for ${counted(uses, "agent")} and ${counted(days, "day")}.`;
	const isLocal = isLoopback(new URL(baseUrl).hostname);
	return isLocal ? `${validity} The address works on this machine only: set --base-url.` : validity;
}
