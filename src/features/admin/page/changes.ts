/** The changes that the host's page offers. Each runs an operation of `resort admin`. */
import { invalid } from "../../../core/lib/resort-error.ts";
import { getAnyAgent } from "../any-agent.ts";
import { readArguments } from "../commands/admin.ts";
import { formats, remarks } from "../commands/formats.ts";
import type { AdminContext } from "../history.ts";
import { requireName } from "../manage-agents.ts";
import { findText } from "../moderation.ts";
import {
	type AdminOperation,
	type Arguments,
	adminOperations,
	flags,
	runOperation,
	words,
} from "../operations.ts";

/** Submitted fields by name. */
export type Fields = Readonly<Record<string, string>>;

/** A change on the page. */
interface ChangeDefinition {
	/** The text of the button. */
	readonly button: string;
	/**
	 * Checks the arguments before the page asks whether to make the change.
	 * @throws ResortError `invalid`
	 */
	check?(given: Arguments): void;
	/** Returns the change that undoes this one. Undefined if nothing can. */
	undo?(fields: Fields, result: object): Undo;
}

/** The change that undoes another one. */
type Undo = Pick<Change, "name" | "fields">;

/** The name of an operation that the page can run. */
export type ChangeName =
	| "check-out"
	| "rename"
	| "reset-key"
	| "deactivate"
	| "reactivate"
	| "hide"
	| "show"
	| "invite"
	| "revoke-invite";

/** The changes by the names of their operations. */
export const changes: Readonly<Record<ChangeName, ChangeDefinition>> = {
	"check-out": { button: "Check out" },
	rename: {
		button: "Rename",
		check: ({ name }) => requireName(name),
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

/** A change with its arguments. */
export interface Change {
	readonly name: ChangeName;
	/** The fields that determine the change. Other submitted fields are not part of it. */
	readonly fields: Fields;
	readonly given: Arguments;
}

/** The flags that a page can set: those that name no file of the machine. */
const pageFlags = Object.keys(flags).filter((flag) => flag !== "profile");

/**
 * Returns the arguments of an operation from the fields of a form or a query. Other fields are ignored.
 * @throws UsageError if the value of a flag is not allowed
 */
export function argumentsOf(operation: AdminOperation, fields: Fields): Arguments {
	const own = (operation.flags ?? []).filter((flag) => pageFlags.includes(flag) && fields[flag]);
	return readArguments(operation, {
		words: (operation.words ?? []).map((word) => fields[word] ?? ""),
		flags: Object.fromEntries(own.map((flag) => [flag, fields[flag] ?? ""])),
		values: new Map(),
		program: null,
	});
}

/**
 * Reads a change from the fields of a form, of which `change` is its name.
 * @throws ResortError `invalid` if there is no such change, or an argument is missing; UsageError
 */
export function readChange({ personalData }: AdminContext, sent: Fields): Change {
	const { change = "" } = sent;
	if (!Object.hasOwn(changes, change)) throw invalid("There is no such change");
	const name = change as ChangeName;
	const operation: AdminOperation = adminOperations[name];
	const given = argumentsOf(operation, sent);
	for (const word of operation.words ?? []) {
		if (given[word] === "") throw invalid(`${words[word]} is missing`);
	}
	if (given.kind !== "agent" && !personalData.hideables.has(given.kind))
		throw invalid("There is no such kind");
	changes[name].check?.(given);
	const names = [...(operation.words ?? []), ...(operation.flags ?? [])].filter((one) => sent[one]);
	return { name, fields: Object.fromEntries(names.map((one) => [one, (sent[one] ?? "").trim()])), given };
}

/** What a change concerns: an agent, or a text of an agent. */
export interface Target {
	readonly agentId: string;
	readonly agentName: string;
	/** Null if the change concerns the agent. */
	readonly text: string | null;
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
		if (kind !== "agent") return yield* findText(context, kind, id);
		const agent = yield* getAnyAgent(context.store, id);
		return { agentId: agent.id, agentName: agent.name, text: null };
	});
}

/** A change that has been made. */
export interface Done {
	/** What has been done, in lines of text. */
	readonly report: string;
	readonly remark: string | null;
	/** The change that undoes it; null if nothing can. */
	readonly undo: Undo | null;
}

/**
 * Makes a change.
 * @throws ResortError
 */
export async function makeChange(context: AdminContext, { name, fields, given }: Change): Promise<Done> {
	const result = await runOperation(context, name, adminOperations[name], given);
	const format = formats[name] as (result: object, given: Arguments) => string;
	return {
		report: format(result, given),
		remark: remarks[name] ?? null,
		undo: changes[name].undo?.(fields, result) ?? null,
	};
}
