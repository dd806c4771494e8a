import { jsonOf } from "../../core/calls/answer.ts";
import type { CallSource } from "../../core/calls/call.ts";
import { handle, type Pipeline } from "../../core/calls/handle.ts";
import { pick } from "../../core/lib/record.ts";
import { ResortError } from "../../core/lib/resort-error.ts";
import { operationAt } from "../../core/resort/operations.ts";
import type { DirectoryEntry } from "../../core/resort/presence/model.ts";

const directory = operationAt("GET /api/agents");

const MAX_CANDIDATES = 10;

/** Thrown if a name does not identify exactly one agent. */
export class UnclearName extends ResortError {
	/** Up to {@link MAX_CANDIDATES} agents that the caller may have meant. */
	readonly candidates: readonly Pick<DirectoryEntry, "id" | "name" | "status">[];

	constructor(message: string, hint: string, agents: readonly DirectoryEntry[]) {
		super("invalid", message, { field: "name", hint });
		this.candidates = agents.slice(0, MAX_CANDIDATES).map((agent) => pick(agent, ["id", "name", "status"]));
	}
}

/**
 * Returns the id of the agent that has the given name, ignoring case.
 * @throws UnclearName if no agent or several agents have the name; errors of the search are passed on
 */
export async function findAgentByName(pipeline: Pipeline, source: CallSource, name: string): Promise<string> {
	const answer = await handle(pipeline, {
		...source,
		operation: directory,
		params: {},
		body: {},
		query: { search: name, limit: "100" },
	});
	if (answer.failure !== null) throw answer.failure.error;
	const { agents } = (await jsonOf(answer)) as { readonly agents: readonly DirectoryEntry[] };
	const same = agents.filter((agent) => agent.name.toLowerCase() === name.toLowerCase());
	const [only, ...others] = same;
	if (only === undefined) {
		const hint =
			"Names match only agents that have stayed here; ids match any agent. lobby contains the ids of guests.";
		throw new UnclearName("No agent with this name has stayed here", hint, agents);
	}
	if (others.length === 0) return only.id;
	const hint = "Omit name, and set ids to the ids of the agents you mean.";
	throw new UnclearName(`${same.length} agents with this name have stayed here`, hint, same);
}
