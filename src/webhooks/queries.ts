import { and, eq, sql } from "drizzle-orm";
import { assignments, placeholders, query } from "../store/query.ts";
import { leases } from "../store/tables.ts";

const isNamed = eq(leases.name, sql.placeholder("name"));
const fields = { holder: leases.holder, renewals: leases.renewals };

/** Who holds a lease. */
export const leaseByName = query(fields, (builder, shown) =>
	builder.select(shown).from(leases).where(isNamed),
);

/** Takes a lease that nobody has; no row when somebody has it. */
export const insertLease = query(fields, (builder, shown) =>
	builder
		.insert(leases)
		.values(placeholders("name", "holder", "renewals"))
		.onConflictDoNothing()
		.returning(shown),
);

/** Renews a lease, or takes it over; no row when it is another one's now, or was renewed. */
export const renewLease = query(fields, (builder, shown) =>
	builder
		.update(leases)
		.set({
			...assignments(leases, "holder"),
			renewals: sql`${leases.renewals} + 1`,
		})
		.where(and(isNamed, eq(leases.renewals, sql.placeholder("renewals"))))
		.returning(shown),
);

/** Gives a lease back. */
export const deleteLease = query({}, (builder) =>
	builder
		.delete(leases)
		.where(and(isNamed, eq(leases.holder, sql.placeholder("holder")))),
);
