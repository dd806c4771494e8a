import type { Rule } from "../../store/rule.ts";
import { failures } from "../failures.ts";
import type { Resort } from "../resort.ts";
import { agentOfIdentity, insertIdentity } from "./queries.ts";
import { type Agent, findAgent, makeAgent } from "./rules.ts";

/** Who somebody is at an identity provider. */
export interface ProviderIdentity {
	/** The provider's address, without a slash at its end. */
	readonly issuer: string;
	readonly subject: string;
}

/**
 * The agent of an identity; it is made at the first use, once.
 * @param name gives the name of an agent that is made now
 * @throws ResortError `unauthorized` when the agent was deactivated here
 */
export async function provideAgent(
	resort: Resort,
	identity: ProviderIdentity,
	name: () => string,
): Promise<Agent> {
	const { store, clock } = resort;
	const { issuer, subject } = identity;
	const find = () => agentOfIdentity(store).get({ issuer, subject });
	const known = await store.read(function* () {
		const found = yield* find();
		return found === undefined ? null : yield* present(resort, found.agentId);
	});
	if (known !== null) return known;
	return store.change(function* () {
		// Another first use may have been quicker.
		const made = yield* find();
		if (made !== undefined) return yield* present(resort, made.agentId);
		const createdAt = clock();
		const agent = yield* makeAgent(resort, { name: name() }, createdAt);
		yield* insertIdentity(store).run({
			issuer,
			subject,
			agentId: agent.id,
			createdAt,
		});
		return agent;
	});
}

function* present(resort: Resort, agentId: string): Rule<Agent> {
	const agent = yield* findAgent(resort, agentId);
	if (agent === null) throw failures.unauthorized(resort.provider?.url);
	return agent;
}
