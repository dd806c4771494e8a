/** Formats the results of `resort admin` for people. */
import { clean, describe, toJson } from "../../../core/lib/readable-text.ts";
import type { Arguments } from "../arguments.ts";
import type { OperationName, Result } from "../operations.ts";

/** Functions that return the cells of a row, by the headings of the columns. */
export type Columns<Row> = Readonly<Record<string, (row: Row) => string>>;

type Position = Readonly<{ total: number; offset: number }>;

const KEY_REMARK = "The key is shown only once.";

/** Remarks on results, by operation. They are printed to stderr. */
export const remarks: { readonly [Name in OperationName]?: string } = {
	register: KEY_REMARK,
	reactivate:
		"Its profile, stays and creations are restored; its webhooks are not. A key is shown only once.",
	"reset-key": KEY_REMARK,
	erase: "Backups, and .bak files next to a database file, still contain the erased texts.",
	invite: "The code is shown only once. An agent registers with it as inviteCode.",
};

/** The columns of each list: functions that return the cell of a row, by the headings of the columns. */
export const columns = {
	agents: {
		ID: ({ id }) => id,
		STATUS: ({ status, isHidden }) => (isHidden ? `${status}, hidden` : status),
		"LAST CALL (UTC)": ({ lastActive }) => readableTime(lastActive ?? "never"),
		NAME: ({ name }) => name,
	} satisfies Columns<Result<"agents">["agents"][number]>,
	invites: {
		"FIRST WORD": ({ label }) => label,
		USED: ({ uses, used }) => `${used} of ${uses}`,
		"CREATED (UTC)": ({ createdAt }) => readableTime(createdAt),
		"VALID UNTIL (UTC)": ({ expiresAt }) => readableTime(expiresAt),
	} satisfies Columns<Result<"invites">["invites"][number]>,
	history: {
		"TIME (UTC)": ({ at }) => readableTime(at),
		USER: ({ systemUser }) => systemUser,
		COMMAND: ({ command }) => command,
		WHOM: ({ subjectId, agentId, agentName }) =>
			[subjectId, agentId && `${agentName} (${agentId})`].filter((part) => part !== null).join(" of "),
	} satisfies Columns<Result<"history">["actions"][number]>,
};

/** Formats of results, by operation. */
const formats: {
	readonly [Name in OperationName]?: (result: Result<Name>, given: Arguments) => string;
} = {
	agents: ({ agents, ...page }) => table("agent", page, agents, columns.agents),
	agent: formatAgent,
	register: ({ name, id, apiKey }) => line`Registered: ${name} (${id}).` + line`api key: ${apiKey}`,
	"check-out": ({ name, id, stay }) =>
		line`Checked out: ${name} (${id}), ${counted(stay.relaxationPoints, "point")}.`,
	deactivate: ({ name, id }) => line`Deactivated: ${name} (${id}).`,
	reactivate: ({ name, id, status, apiKey }) =>
		line`Reactivated: ${name} (${id}), ${status}.` +
		(apiKey === null ? "It signs in with the keys of the identity provider.\n" : line`api key: ${apiKey}`),
	"reset-key": ({ name, id, apiKey, webhooksEnded }) =>
		line`Key reset: ${name} (${id}). The old key is revoked, and all sessions and ${counted(webhooksEnded, "webhook")} have ended.` +
		line`api key: ${apiKey}`,
	hide: (result) => line`Hidden: ${moderated(result)}.`,
	show: (result) =>
		line`Shown again: ${moderated(result)}.` +
		("isArchived" in result && result.isArchived
			? "It is still not public: its creator has archived it.\n"
			: ""),
	hidden: ({ hidden, ...page }) => {
		const blocks = hidden.map((one) =>
			block(line`${one.kind} ${one.id}, hidden ${readableTime(one.hiddenAt)} UTC`, one),
		);
		return blocks.join("") + position("hidden text", page, blocks.length);
	},
	rename: ({ name, formerName, id }) => line`Renamed: ${formerName} is now ${name} (${id}).`,
	export: (result) => `${toJson(result.export, 2)}\n`,
	// The arguments contain the name that the agent had before the erasure.
	erase: ({ id, wasErased }, { name }) =>
		wasErased ? line`Erased again: ${id}.` : line`Erased: ${name} (${id}).`,
	invite: ({ code, invite: { label, uses, expiresAt } }) =>
		line`code: ${code}` +
		line`Valid for ${counted(uses, "agent")} until ${readableTime(expiresAt)} UTC. To revoke it: resort admin revoke-invite ${label}`,
	invites: ({ invites, ...page }) => table("invitation", page, invites, columns.invites),
	"revoke-invite": ({ invite: { label, uses, used } }) =>
		line`Revoked: invitation ${label}, used ${used} of ${uses}.`,
	history: ({ actions, ...page }) => table("action", page, actions, columns.history),
};

/**
 * Formats the result of an operation, also of one that lists the texts of a feature. By default, the fields of
 * the result are listed.
 */
export function formatResult(
	name: string,
	result: Readonly<Record<string, unknown>>,
	given: Arguments,
): string {
	if ("texts" in result) return formatTexts(result as object as Result<"postcards">);
	const format = formats[name as OperationName] as ((result: object, given: Arguments) => string) | undefined;
	return format?.(result, given) ?? describe(result);
}

/** Formats an agent. */
export function formatAgent({ agent }: Result<"agent">): string {
	const { id, name, status, isErased, lastActive, ...more } = agent;
	const text = describe({ id, name, status, lastCall: lastActive ?? "never", ...more });
	return text.replace(/^([ -]*(?:[a-z ]* at|last call|ends by): \S+)T(\d\d:\d\d).*$/gm, "$1 $2 UTC");
}

function formatTexts({ kind, texts, ...page }: Result<"postcards">): string {
	const blocks = texts.map((text) => {
		const state = text.hiddenAt === null ? "" : ", hidden";
		return block(line`${text.id}, ${readableTime(text.createdAt)} UTC${state}`, text);
	});
	return blocks.join("") + position(kind, page, blocks.length);
}

function block(
	first: string,
	text: Readonly<Record<"agentName" | "agentId", string> & { text: string | null }>,
) {
	return first + line`    by ${text.agentName} (${text.agentId})` + line`    ${text.text}`;
}

/** Describes the texts that were hidden or shown. */
function moderated(result: Result<"hide">): string {
	if ("kind" in result) {
		const { kind, id, agentName, agentId } = result;
		return `${kind} ${id} by ${agentName} (${agentId})`;
	}
	return `${profileAnd(result)} by ${result.name} (${result.id})`;
}

/** Returns, for example, `the profile and 2 postcards`. `counts` has the numbers of texts by kind. */
export function profileAnd(counts: object): string {
	const texts = Object.entries(counts).flatMap(([kind, count]) =>
		typeof count === "number" ? counted(count, kind) : [],
	);
	return new Intl.ListFormat("en-GB").format(["the profile", ...texts]);
}

/** Formats one line. Removes control characters from the values in it. */
export function line(parts: TemplateStringsArray, ...values: readonly unknown[]): string {
	const cleaned = values.map((value) => clean(String(value)));
	return `${String.raw({ raw: parts }, ...cleaned)}\n`;
}

function counted(count: number, thing: string): string {
	return `${count} ${thing}${count === 1 ? "" : "s"}`;
}

/** Formats a UTC date-time as `2026-03-10 12:00`. Any other text is returned unchanged. */
function readableTime(value: string): string {
	return value.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d).*$/, "$1 $2");
}

/**
 * Formats rows as a table, followed by a line with the position of the page. Wide characters are allowed only
 * in the last column, because they would shift a following column.
 */
function table<Row>(thing: string, page: Position, rows: readonly Row[], columns: Columns<Row>): string {
	const heads = Object.keys(columns);
	const cells = rows.map((row) => Object.values(columns).map((cell) => clean(cell(row))));
	const lines = [heads, ...cells];
	const widths = heads.map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)));
	const padded = lines.map((line) => line.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join("  "));
	const text = padded.map((one) => `${one.trimEnd()}\n`).join("");
	return (page.total === 0 ? "" : text) + position(thing, page, rows.length);
}

/** Formats the last line of a page: the range of its entries, and how to get the next page. */
function position(thing: string, { total, offset }: Position, count: number): string {
	const all = counted(total, thing);
	if (total === 0) return `No ${thing}s found.\n`;
	if (count === total) return `${all}.\n`;
	if (count === 0) return `The list has only ${all}.\n`;
	const end = offset + count;
	const next = end < total ? ` For the next page, add --offset ${end}.` : "";
	return `${offset + 1} to ${end} of ${all}, newest first.${next}\n`;
}
