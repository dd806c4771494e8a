import { and, eq, sql } from "drizzle-orm";
import { insertInto, selectFrom } from "../../core/store/table-queries.ts";
import { identities } from "../../core/store/tables.ts";

/** Returns the agent of an identity at the provider. */
export const agentOfIdentity = selectFrom(
	identities,
	{ agentId: identities.agentId },
	and(eq(identities.issuer, sql.placeholder("issuer")), eq(identities.subject, sql.placeholder("subject"))),
);

/** Links an agent to its identity at the provider. */
export const insertIdentity = insertInto(identities);
