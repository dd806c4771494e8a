import type { Task } from "../../store/task.ts";
import { failures } from "../failures.ts";
import type { ServiceContext } from "../service-context.ts";
import { agentOfIdentity, insertIdentity } from "./queries.ts";
import { type Agent, findAgent, makeAgent } from "./service.ts";

/** An identity at an identity provider. */
export interface ProviderIdentity {
	/** The provider's URL, without a slash at its end. */
	readonly issuer: string;
	readonly subject: string;
}

/**
 * Returns the agent of an identity, and creates it at the first use.
 * @param name returns the name of a new agent
 * @throws ResortError `unauthorized` if the agent was deactivated here
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
		// A concurrent call may have created it.
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
