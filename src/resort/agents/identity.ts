import { and, eq, sql } from "drizzle-orm";
import { NOTHING } from "../../store/changes.ts";
import { prepared } from "../../store/store.ts";
import { identities } from "../../store/tables.ts";
import { failures } from "../failures.ts";
import type { Resort } from "../resort.ts";
import { type Agent, findAgent, insertAgent } from "./service.ts";

/** Who somebody is at an identity provider. */
export interface ProviderIdentity {
	/** The provider's address, without a slash at its end. */
	readonly issuer: string;
	readonly subject: string;
}

const agentOf = prepared((db) =>
	db
		.select({ agentId: identities.agentId })
		.from(identities)
		.where(
			and(
				eq(identities.issuer, sql.placeholder("issuer")),
				eq(identities.subject, sql.placeholder("subject")),
			),
		)
		.prepare(),
);

/**
 * The agent of an identity; it is made at the first use, once (decisions 7).
 * @param name of an agent that is made now
 * @throws ResortError `unauthorized` when the agent was deactivated here
 */
export async function provideAgent(
	resort: Resort,
	identity: ProviderIdentity,
	name: () => string,
): Promise<Agent> {
	const known = findIdentity(resort, identity);
	if (known !== undefined) return present(resort, known.agentId);
	return resort.store.writer.write(() => {
		// Another first use may have been quicker.
		const made = findIdentity(resort, identity);
		if (made !== undefined) return present(resort, made.agentId);
		const createdAt = resort.clock();
		const agent = insertAgent(resort, { name: name() }, createdAt);
		resort.store.db
			.insert(identities)
			.values({ ...identity, agentId: agent.id, createdAt })
			.run();
		return agent;
	}, NOTHING);
}

function findIdentity(
	{ store }: Resort,
	{ issuer, subject }: ProviderIdentity,
) {
	return agentOf(store).get({ issuer, subject });
}

function present(resort: Resort, agentId: string): Agent {
	const agent = findAgent(resort, agentId);
	if (agent === null) throw failures.unauthorized(resort.identity?.url);
	return agent;
}
