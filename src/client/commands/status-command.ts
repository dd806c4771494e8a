import { UsageError } from "../../lib/start-error.ts";
import { operationAt } from "../catalogue.ts";
import type { Command } from "../client-command.ts";
import { Failure } from "../client-failure.ts";
import type { Configuration } from "../configuration.ts";
import { type Body, call, requireAddress } from "../operation-call.ts";
import { clean } from "../terminal-text.ts";

const one = operationAt("GET /api/agents/:id/status");
const several = operationAt("GET /api/agents/status");

/** `status [ID...]`: shows the status of agents, by default the caller's own. */
export const status: Command = {
	summary: one.summary,
	words: "[ID...]",
	flags: {},
	example: '"$ID" "$ID2"',
	routes: ["GET /api/agents/:id/status", "GET /api/agents/status"],
	async run({ line: { words }, configuration, show }) {
		const configured = configuration();
		requireAddress(configured);
		const ids = words.length > 0 ? words : [configured.agentId ?? ""];
		const [id = ""] = ids;
		if (id === "") throw new UsageError("status takes ID: whose status?");
		if (ids.length === 1) return show(await call(configured, one, { id }));
		const statuses = await statusesOf(configured, ids);
		show(statuses);
		const unknown = unknownIn(statuses);
		if (unknown.length > 0) throw notFound(unknown);
	},
};

/** Requests the statuses of several agents. @throws Failure as {@link call} */
export function statusesOf(
	configuration: Configuration,
	ids: readonly string[],
): Promise<Body> {
	return call(configuration, several, { ids: ids.join(",") });
}

/** Returns the ids that the resort does not know, from its answer. */
export function unknownIn({ unknown }: Body): string[] {
	return Array.isArray(unknown) ? unknown.map(String) : [];
}

/** The failure for unknown ids. */
export function notFound(ids: readonly string[], hint = ""): Failure {
	return new Failure(`not found: ${ids.map(clean).join(", ")}`, 5, hint);
}
