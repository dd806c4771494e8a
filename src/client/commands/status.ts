import { call, requireAddress, type Told } from "../call.ts";
import { operationAt } from "../catalogue.ts";
import type { Command } from "../command.ts";
import type { Configuration } from "../configuration.ts";
import { Failure, usage } from "../failure.ts";
import { clean } from "../text.ts";

const one = operationAt("GET /api/agents/:id/status");
const several = operationAt("GET /api/agents/status");

/** More words than any command line has. */
export const ANY = 10_000;

/** `status [ID...]`: of one agent or of several; without an id one's own. */
export const status: Command = {
	summary: one.summary,
	words: "[ID...]",
	count: [0, ANY],
	flags: {},
	example: '"$ID" "$ID2"',
	routes: ["GET /api/agents/:id/status", "GET /api/agents/status"],
	async run({ line: { words }, configuration, show }) {
		const configured = configuration();
		requireAddress(configured);
		const ids = words.length > 0 ? words : [configured.agentId ?? ""];
		const [id = ""] = ids;
		if (id === "") throw usage("status takes ID: whose status?");
		if (ids.length === 1) return show(await call(configured, one, { id }));
		const told = await statusesOf(configured, ids);
		show(told);
		const unknown = unknownIn(told);
		if (unknown.length > 0) throw notFound(unknown);
	},
};

/**
 * Asks for the statuses of several agents.
 * @throws Failure as {@link call}
 */
export function statusesOf(
	configuration: Configuration,
	ids: readonly string[],
): Promise<Told> {
	return call(configuration, several, { ids: ids.join(",") });
}

/** The ids in an answer with statuses that the resort does not know. */
export function unknownIn({ unknown }: Told): string[] {
	return Array.isArray(unknown) ? unknown.map(String) : [];
}

/** The failure where ids are of nobody. */
export function notFound(ids: readonly string[], hint = ""): Failure {
	return new Failure(`not found: ${ids.map(clean).join(", ")}`, 5, hint);
}
