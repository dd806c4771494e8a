import { SECOND_MS } from "../../src/core/lib/clock.ts";
import type { Agent } from "./entities.ts";
import type { Expected } from "./expected.ts";
import { oneOf } from "./fields.ts";
import type { State } from "./state.ts";

/** The parameter `expect`. */
export const expect = oneOf(null, "available", "relaxing");

/**
 * Returns the response with the statuses of agents: 409 if one of them does not have the expected status.
 * @param agents undefined for an unknown agent
 */
export function expecting(
	state: State,
	expect: "available" | "relaxing" | null,
	agents: readonly (Agent | undefined)[],
	body: object,
): Expected {
	const stays = agents.map((agent) => agent && (state.openStay(agent) ?? null));
	const others = stays.filter((stay) => stay === undefined || (stay === null) !== (expect === "available"));
	if (expect === null || others.length === 0) return { status: 200, body };
	const ends = others.flatMap((stay) => stay?.endsBy ?? []);
	const leftMs = Math.min(60 * SECOND_MS, ...ends.map((endMs) => endMs - state.nowMs));
	return { status: 409, body, headers: { "retry-after": String(Math.ceil(leftMs / SECOND_MS)) } };
}
