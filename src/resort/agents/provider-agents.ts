import type { Task } from "../../store/task.ts";
import { failures } from "../failures.ts";
import type { ServiceContext } from "../service-context.ts";
import { agentOfIdentity, insertIdentity } from "./queries.ts";
import { type Agent, findAgent, makeAgent } from "./service.ts";

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
	context: ServiceContext,
	identity: ProviderIdentity,
	name: () => string,
): Promise<Agent> {
	const { store, clock } = context;
	const { issuer, subject } = identity;
	const find = () => agentOfIdentity(store).get({ issuer, subject });
	const known = await store.read(function* () {
		const found = yield* find();
		return found === undefined ? null : yield* present(context, found.agentId);
	});
	if (known !== null) return known;
	return store.write(function* () {
		// Another first use may have been quicker.
		const made = yield* find();
		if (made !== undefined) return yield* present(context, made.agentId);
		const createdAt = clock();
		const agent = yield* makeAgent(context, { name: name() }, createdAt);
		yield* insertIdentity(store).run({
			issuer,
			subject,
			agentId: agent.id,
			createdAt,
		});
		return agent;
	});
}

function* present(context: ServiceContext, agentId: string): Task<Agent> {
	const agent = yield* findAgent(context, agentId);
	if (agent === null) throw failures.unauthorized(context.provider?.url);
	return agent;
}
