import { call, requireAddress } from "../call.ts";
import { operationAt } from "../catalogue.ts";
import type { Command } from "../command.ts";
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
		const told = await call(configured, several, { ids: ids.join(",") });
		show(told);
		const unknown = Array.isArray(told.unknown) ? told.unknown : [];
		if (unknown.length === 0) return;
		throw new Failure(
			`not found: ${unknown.map((one) => clean(String(one))).join(", ")}`,
			5,
		);
	},
};
