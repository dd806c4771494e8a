/** Formats the results of `resort admin` for people. */

import type { CommandLine } from "../../../core/lib/command-line.ts";
import { clean, describe } from "../../../core/lib/readable-text.ts";
import type { InviteInfo } from "../../../core/resort/registration-invites/service.ts";
import type { listAgents, showAgent } from "../agent-reports.ts";
import type { listHistory } from "../history.ts";
import type { listTexts } from "../list-texts.ts";
import type { listHidden } from "../moderation.ts";

/** Formats a list of agents. */
export function formatAgents(
	{ agents, ...page }: Awaited<ReturnType<typeof listAgents>>,
	{ flags: { search, relaxing } }: Pick<CommandLine, "flags">,
): string {
	if (page.total === 0) {
		if (search !== undefined) return "No agents found.\n";
		return relaxing === undefined ? "There are no agents yet.\n" : "No agents are relaxing.\n";
	}
	const rows = agents.map(({ id, status, isHidden, lastActive, name }) => [
		id,
		isHidden ? `${status}, hidden` : status,
		readableTime(lastActive ?? "never"),
		name,
	]);
	const head = ["ID", "STATUS", "LAST CALL (UTC)", "NAME"];
	return table(head, rows) + position("agent", rows.length, page);
}

/** Formats the history of administration commands. */
export function formatHistory({ actions, ...page }: Awaited<ReturnType<typeof listHistory>>): string {
	if (page.total === 0) return "Nothing is recorded yet.\n";
	const rows = actions.map(({ at, systemUser, command, subjectId, agentId, agentName }) => [
		readableTime(at),
		systemUser,
		command,
		[subjectId, agentId && `${agentName} (${agentId})`].filter((part) => part !== null).join(" of "),
	]);
	const head = ["TIME (UTC)", "USER", "COMMAND", "WHOM"];
	return table(head, rows) + position("action", rows.length, page);
}

/** Formats the last line of a page: the range of its entries, and how to get the next page. */
function position(
	thing: string,
	count: number,
	{ total, offset }: { readonly total: number; readonly offset: number },
): string {
	const all = counted(total, thing);
	if (count === total) return `${all}.\n`;
	if (count === 0) return `The list has only ${all}.\n`;
	const end = offset + count;
	const next = end < total ? ` For the next page, add --offset ${end}.` : "";
	return `${offset + 1} to ${end} of ${all}, newest first.${next}\n`;
}

/** Formats one agent, with its stay, sessions and newest postcards. */
export function formatAgent({ agent }: Awaited<ReturnType<typeof showAgent>>): string {
	const { id, name, stay, isErased, lastActive, deactivatedAt, ...more } = agent;
	const active = stay === null ? "available" : "relaxing";
	const inactive = isErased ? "erased" : "deactivated";
	const status = deactivatedAt === null ? active : inactive;
	const lastCall = lastActive ?? "never";
	const shown = { id, name, status, deactivatedAt, lastCall, stay, ...more };
	return describe(withReadableTimes(shown));
}

/** Formats a list of texts. */
export function formatTextList({ kind, texts, ...page }: Awaited<ReturnType<typeof listTexts>>): string {
	if (page.total === 0) return `No ${kind}s found.\n`;
	const blocks = texts.map(
		({ id, agentId, agentName, text, createdAt, hiddenAt }) =>
			line`${id}, ${readableTime(createdAt)} UTC${hiddenAt === null ? "" : ", hidden"}` +
			line`    by ${agentName} (${agentId})` +
			line`    ${text}`,
	);
	return blocks.join("") + position(kind, texts.length, page);
}

/** Formats the list of hidden agents and texts. */
export function formatHidden({ hidden }: Awaited<ReturnType<typeof listHidden>>): string {
	if (hidden.length === 0) return "Nothing is hidden.\n";
	const blocks = hidden.map(
		({ kind, id, agentId, agentName, text, hiddenAt }) =>
			line`${kind} ${id}, hidden ${readableTime(hiddenAt)} UTC` +
			line`    by ${agentName} (${agentId})` +
			line`    ${text}`,
	);
	return `${blocks.join("")}${blocks.length} hidden.\n`;
}

/** Formats the list of invitations. An invitation is identified by the first word of its code. */
export function formatInvites({ invites }: { invites: readonly InviteInfo[] }): string {
	if (invites.length === 0) return "There are no invitations.\n";
	const rows = invites.map(({ label, uses, used, createdAt, expiresAt }) => [
		label,
		`${used} of ${uses}`,
		readableTime(createdAt),
		readableTime(expiresAt),
	]);
	const head = ["FIRST WORD", "USED", "CREATED (UTC)", "VALID UNTIL (UTC)"];
	return `${table(head, rows)}${counted(rows.length, "invitation")}. To revoke one, pass its code or first word to revoke-invite.\n`;
}

/** Formats one line. Removes control characters from the values in it. */
export function line(parts: TemplateStringsArray, ...values: readonly unknown[]): string {
	const cleaned = values.map((value) => clean(String(value)));
	return `${String.raw({ raw: parts }, ...cleaned)}\n`;
}

/** Formats a number with a noun. */
export function counted(count: number, thing: string): string {
	return `${count} ${thing}${count === 1 ? "" : "s"}`;
}

/** Formats a UTC date-time as `2026-03-10 12:00`. Any other text is returned unchanged. */
export function readableTime(value: string): string {
	return value.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d).*$/, "$1 $2");
}

/**
 * Formats the date-times in an object. A field contains a date-time if its name is `lastCall` or `endsBy`, or
 * ends with `At`.
 */
function withReadableTimes(value: object): Record<string, unknown> {
	const text = JSON.stringify(value, (name, inner) =>
		typeof inner === "string" && /^(lastCall|endsBy|.*At)$/.test(name)
			? readableTime(inner).replace(/\d$/, "$& UTC")
			: inner,
	);
	return JSON.parse(text);
}

/** Formats rows as a table. Wide characters are supported only in the last column. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
	const lines = [head, ...rows].map((cells) => cells.map(clean));
	const widths = head.map((_, at) => Math.max(...lines.map((cells) => cells[at]?.length ?? 0)));
	return lines
		.map((cells) => cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)))
		.map((cells) => `${cells.join("  ").trimEnd()}\n`)
		.join("");
}
