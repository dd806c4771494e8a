/** Formats the results of `resort admin` for people. */
import { clean, describe } from "../client/terminal-text.ts";
import type { Flags } from "../config/setting-sources.ts";

/** The fields of a result. */
export type Fields = Readonly<Record<string, unknown>>;

/** The longest line, in columns. */
const WIDTH = 100;

/** The indent of the continuation of a long line, in columns. */
const INDENT = 4;

/** The beginning of a date-time of RFC 3339, to the minute. */
const MINUTE = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)/;

/** The names of fields that are date-times. */
const TIMES = /^(lastCall|endsBy|.*At)$/;

/** Formats a list of agents. */
export function formatAgents(
	{ agents, isCut }: Fields,
	{ search, relaxing }: Flags,
): string {
	const rows = listOf(agents).map(({ id, status, lastActive, name }) => [
		String(id),
		String(status),
		readableTime(lastActive ?? "never"),
		String(name),
	]);
	if (rows.length === 0) {
		if (search !== undefined) return "No agent is found.\n";
		return relaxing === undefined
			? "No agent is here yet.\n"
			: "No agent is relaxing.\n";
	}
	const total = counted(rows.length, "agent");
	const more = ", the newest. There are more: --search narrows the list";
	return `${table(["ID", "STATUS", "LAST CALL (UTC)", "NAME"], rows)}${total}${isCut === true ? more : ""}.\n`;
}

/** Formats one agent, with its stay, sessions and newest postcards. */
export function formatAgent({ agent }: Fields): string {
	const { id, name, stay, isErased, lastActive, deactivatedAt, ...more } =
		fieldsOf(agent);
	const active = stay === null ? "available" : "relaxing";
	const inactive = isErased === true ? "erased" : "deactivated";
	return wrapped(
		describe(
			withReadableTimes({
				id,
				name,
				status: deactivatedAt === null ? active : inactive,
				deactivatedAt,
				lastCall: lastActive ?? "never",
				stay,
				...more,
			}),
		),
	);
}

/** Formats the list of hidden texts. */
export function formatHidden({ hidden, isCut }: Fields): string {
	const blocks = listOf(hidden).map(({ kind, id, agentId, text, hiddenAt }) =>
		wrapped(
			[
				line`${kind} ${id}, hidden ${readableTime(hiddenAt)} UTC`,
				line`    of agent ${agentId}`,
				line`    ${text}`,
			].join(""),
		),
	);
	if (blocks.length === 0) return "Nothing is hidden.\n";
	const more = ", the newest of each kind. There are more";
	return `${blocks.join("")}${blocks.length} hidden${isCut === true ? more : ""}.\n`;
}

/** Formats the list of invitations, by the first words of their codes. */
export function formatInvites({ invites }: Fields): string {
	const rows = listOf(invites).map(
		({ label, uses, used, createdAt, expiresAt }) => [
			String(label),
			`${used} of ${uses}`,
			readableTime(createdAt),
			readableTime(expiresAt),
		],
	);
	if (rows.length === 0) return "There is no invitation.\n";
	const head = ["FIRST WORD", "USED", "MADE (UTC)", "HOLDS UNTIL (UTC)"];
	return `${table(head, rows)}${counted(rows.length, "invitation")}. revoke-invite ends one, by its code or the code's first word.\n`;
}

/** Describes what a command changed, by the names of the commands. */
export const sentences = {
	checkOut: ({ name, id, stay }) =>
		line`Checked out: ${name} (${id}), ${counted(fieldsOf(stay).relaxationPoints, "point")}.`,
	deactivate: ({ name, id }) => line`Deactivated: ${name} (${id}).`,
	reactivate: ({ name, id, status, apiKey }) =>
		line`Reactivated: ${name} (${id}), ${status}.` +
		(apiKey === null
			? "It signs in with the keys of the identity provider.\n"
			: line`api key: ${apiKey}`),
	resetKey: ({ name, id, apiKey }) =>
		line`Key reset: ${name} (${id}). The old key and all sessions have ended.` +
		line`api key: ${apiKey}`,
	hide: ({ kind, id, agentName, agentId }) =>
		line`Hidden: ${kind} ${id} of ${agentName} (${agentId}).`,
	show: ({ kind, id, agentName, agentId, isArchived }) =>
		line`Shown again: ${kind} ${id} of ${agentName} (${agentId}).` +
		(isArchived === true
			? "Nobody finds it all the same: its creator has archived it.\n"
			: ""),
	rename: ({ name, formerName, id }) =>
		line`Renamed: ${formerName} is now ${name} (${id}).`,
	erase: ({ id, formerName, wasErased }) =>
		wasErased === true
			? line`Erased again: ${id}.`
			: line`Erased: ${formerName} (${id}).`,
	invite: ({ code, invite }) => {
		const { label, uses, expiresAt } = fieldsOf(invite);
		return (
			line`code: ${code}` +
			line`Lets ${counted(uses, "agent")} in until ${readableTime(expiresAt)} UTC. "resort admin revoke-invite ${label}" ends it, by the code's first word.`
		);
	},
	revokeInvite: ({ invite }) => {
		const { label, uses, used } = fieldsOf(invite);
		return line`Revoked: the invitation ${label}, used ${used} of ${uses}.`;
	},
} as const satisfies Record<string, (result: Fields) => string>;

/** Returns a warning if codes have no effect with this registration setting; else an empty text. */
export function registrationWarning({ registration }: Fields): string {
	const consequence = {
		open: "nobody needs a code",
		closed: "nobody can register, not even with a code",
	}[String(registration)];
	return consequence === undefined
		? ""
		: `registration is ${registration} by the settings of this command: ${consequence}\n`;
}

/** Formats one line with values in it, without control characters of the terminal. */
export function line(
	parts: TemplateStringsArray,
	...values: readonly unknown[]
): string {
	const cleaned = values.map((value) => clean(String(value)));
	return `${String.raw({ raw: parts }, ...cleaned)}\n`;
}

function counted(count: unknown, thing: string): string {
	return `${count} ${thing}${count === 1 ? "" : "s"}`;
}

/** A date-time in UTC such as `2026-03-10 12:00`. Anything else stays as it is. */
function readableTime(value: unknown): string {
	const [, day, time] = MINUTE.exec(String(value)) ?? [];
	return day === undefined ? String(value) : `${day} ${time}`;
}

function withReadableTimes(value: Fields): Fields {
	const readable = (name: string, inner: unknown): unknown => {
		if (Array.isArray(inner)) return inner.map((one) => readable(name, one));
		if (typeof inner === "object" && inner !== null) {
			return withReadableTimes(fieldsOf(inner));
		}
		if (typeof inner !== "string" || !TIMES.test(name)) return inner;
		const time = readableTime(inner);
		return time === inner ? inner : `${time} UTC`;
	};
	return Object.fromEntries(
		Object.entries(value).map(([name, inner]) => [name, readable(name, inner)]),
	);
}

/** Formats columns under a head. The last column is not padded. */
function table(
	head: readonly string[],
	rows: readonly (readonly string[])[],
): string {
	const lines = [head, ...rows].map((cells) => cells.map(clean));
	const widths = head.map((_, column) =>
		Math.max(...lines.map((cells) => Bun.stringWidth(cells[column] ?? ""))),
	);
	return lines
		.map((cells) => {
			const padded = cells.map((cell, column) => {
				const gap = (widths[column] ?? 0) - Bun.stringWidth(cell);
				return column === cells.length - 1 ? cell : cell + " ".repeat(gap);
			});
			return `${padded.join("  ")}\n`;
		})
		.join("");
}

/** Breaks long lines between words and indents their continuation. */
export function wrapped(text: string): string {
	return text.split("\n").flatMap(wrapLine).join("\n");
}

function wrapLine(long: string): string[] {
	if (Bun.stringWidth(long) <= WIDTH) return [long];
	const margin = /^ */.exec(long)?.[0] ?? "";
	const width = WIDTH - margin.length - INDENT;
	return Bun.wrapAnsi(long.trim(), width)
		.split("\n")
		.map((part, at) => margin + " ".repeat(at === 0 ? 0 : INDENT) + part);
}

function listOf(value: unknown): Fields[] {
	return Array.isArray(value) ? value.map(fieldsOf) : [];
}

function fieldsOf(value: unknown): Fields {
	return { ...Object(value) };
}
