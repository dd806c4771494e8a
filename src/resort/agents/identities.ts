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
	const known = find();
	if (known !== undefined) return present(resort, known.agentId);
	return store.change(() => {
		// Another first use may have been quicker.
		const made = find();
		if (made !== undefined) return present(resort, made.agentId);
		const createdAt = clock();
		const agent = makeAgent(resort, { name: name() }, createdAt);
		insertIdentity(store).run({
			issuer,
			subject,
			agentId: agent.id,
			createdAt,
		});
		return agent;
	});
}

function present(resort: Resort, agentId: string): Agent {
	const agent = findAgent(resort, agentId);
	if (agent === null) throw failures.unauthorized(resort.provider?.url);
	return agent;
}
