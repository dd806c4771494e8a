import { agentOfIdentity, insertIdentity } from "../../core/resort/agents/queries.ts";
import { type Agent, findAgent, makeAgent } from "../../core/resort/agents/service.ts";
import { failures } from "../../core/resort/failures.ts";
import type { ServiceContext } from "../../core/resort/service-context.ts";

/**
 * Returns the agent that belongs to an identity at the identity provider. Creates the agent if the identity
 * is used for the first time. `issuer` is a URL without a trailing slash.
 * @param name returns the name for a new agent
 * @throws ResortError `unauthorized` if the agent was deactivated at this resort; `full` if the agent does
 * not exist yet and the resort accepts no new data
 */
export async function provideAgent(
	context: ServiceContext,
	{ issuer, subject }: { readonly issuer: string; readonly subject: string },
	name: () => string,
): Promise<Agent> {
	const { store, clock } = context;
	const find = function* () {
		const row = yield* agentOfIdentity(store).get({ issuer, subject });
		if (row === undefined) return null;
		const agent = yield* findAgent(context, row.agentId);
		if (agent === null) throw failures.unauthorized(context.provider?.url);
		return agent;
	};
	const existing = await store.read(find);
	if (existing !== null) return existing;
	context.capacity.requireRoom();
	return store.write(function* () {
		const concurrent = yield* find();
		if (concurrent !== null) return concurrent;
		const createdAt = clock();
		const agent = yield* makeAgent(context, { name: name() }, createdAt);
		yield* insertIdentity(store).run({ issuer, subject, agentId: agent.id, createdAt });
		return agent;
	});
}
