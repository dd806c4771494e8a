/** What `resort admin` shows to people: lists, and an agent. */
import { describe } from "../client/text.ts";
import type { Flags } from "../config/sources.ts";
import {
	counted,
	type Fields,
	fieldsOf,
	readableTime,
	said,
	table,
	wrapped,
} from "./admin-text.ts";

/** Fields that are date-times. */
const TIMES = /^(lastCall|endsBy|.*At)$/;

/** The agents that were found. */
export function tellAgents(
	{ agents, isCut }: Fields,
	{ search, relaxing }: Flags,
): string {
	const found = listIn(agents);
	if (found.length === 0) {
		if (search !== undefined) return "No agent is found.\n";
		return relaxing === undefined
			? "No agent is here yet.\n"
			: "No agent is relaxing.\n";
	}
	const rows = found.map(({ id, status, lastActive, name }) => [
		String(id),
		String(status),
		readableTime(lastActive ?? "never"),
		String(name),
	]);
	const total = counted(found.length, "agent");
	const more = ", the newest. There are more: --search narrows the list";
	return `${table(["ID", "STATUS", "LAST CALL (UTC)", "NAME"], rows)}${total}${isCut === true ? more : ""}.\n`;
}

/** One agent, with its stay, sessions and newest postcards. */
export function tellAgent({ agent }: Fields): string {
	const { id, name, stay, isErased, lastActive, deactivatedAt, ...more } =
		fieldsOf(agent);
	const isGone = deactivatedAt !== null && deactivatedAt !== undefined;
	const isRelaxing = stay !== null && stay !== undefined;
	const active = isRelaxing ? "relaxing" : "available";
	const shown = {
		id,
		name,
		status: isErased === true ? "erased" : isGone ? "deactivated" : active,
		deactivatedAt,
		lastCall: lastActive ?? "never",
		stay,
		...more,
	};
	return wrapped(describe(withReadableTimes(shown)));
}

/** What is hidden, with its texts. */
export function tellHidden({ hidden, isCut }: Fields): string {
	const found = listIn(hidden);
	if (found.length === 0) return "Nothing is hidden.\n";
	const blocks = found.map(({ kind, id, agentId, text, hiddenAt }) =>
		wrapped(
			[
				said`${kind} ${id}, hidden ${readableTime(hiddenAt)} UTC`,
				said`    of agent ${agentId}`,
				said`    ${text}`,
			].join(""),
		),
	);
	const more = ", the newest of each kind. There are more";
	return `${blocks.join("")}${found.length} hidden${isCut === true ? more : ""}.\n`;
}

/** The invitations, by the first words of their codes. */
export function tellInvites({ invites }: Fields): string {
	const found = listIn(invites);
	if (found.length === 0) return "There is no invitation.\n";
	const rows = found.map(({ label, uses, used, createdAt, expiresAt }) => [
		String(label),
		`${used} of ${uses}`,
		readableTime(createdAt),
		readableTime(expiresAt),
	]);
	const head = ["FIRST WORD", "USED", "MADE (UTC)", "HOLDS UNTIL (UTC)"];
	return `${table(head, rows)}${counted(found.length, "invitation")}. revoke-invite ends one, by its code or the code's first word.\n`;
}

/** The same with date-times that are easy to read. */
function withReadableTimes(value: Fields): Fields {
	return Object.fromEntries(
		Object.entries(value).map(([name, inner]) => [name, readable(name, inner)]),
	);
}

function readable(name: string, value: unknown): unknown {
	if (Array.isArray(value)) return value.map((one) => readable(name, one));
	if (typeof value === "object" && value !== null) {
		return withReadableTimes(fieldsOf(value));
	}
	if (typeof value !== "string" || !TIMES.test(name)) return value;
	const time = readableTime(value);
	return time === value ? value : `${time} UTC`;
}

function listIn(value: unknown): Fields[] {
	return Array.isArray(value) ? value.map(fieldsOf) : [];
}
