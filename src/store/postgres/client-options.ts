import { SECOND_MS } from "../../lib/clock.ts";
import type { Address, Host } from "./address.ts";

/** How long the server lets a statement run, or wait for a lock. */
const STATEMENT_MS = 1_500;

/** How long the server keeps a transaction that is asked for nothing: its instance may be gone. */
const IDLE_TRANSACTION_MS = 2_500;

/** How soon the server finds out that an instance is gone of which it hears nothing: it would wait for two hours. */
const KEEPALIVE = {
	tcp_keepalives_idle: "10",
	tcp_keepalives_interval: "5",
	tcp_keepalives_count: "3",
};

/**
 * Every question has the one plan that it was written for, whatever the statistics of the tables say: the index that
 * has its order. So nothing is planned at a request, and a page of an agent with much costs as little as any other.
 */
const PLANS = {
	plan_cache_mode: "force_generic_plan",
	enable_seqscan: "off",
	enable_sort: "off",
	random_page_cost: "1.1",
};

/** Options that leave nothing to variables of the environment, which the client would read. */
export function clientOptions(
	{ user, database, sslmode, sslrootcert, applicationName }: Address,
	{ host, port, socket, password }: Host,
	isPatient: boolean,
	waitMs: number,
): ConstructorParameters<typeof Bun.SQL>[0] {
	const ca =
		sslrootcert === null || sslrootcert === "system" ? null : sslrootcert.pem;
	const tls =
		ca === null
			? sslmode
			: {
					ca,
					rejectUnauthorized: true,
					...(sslmode === "verify-ca" && {
						checkServerIdentity: () => undefined,
					}),
				};
	return {
		url: "postgres://x",
		adapter: "postgres",
		...(socket === null ? { hostname: host, port } : { path: socket }),
		username: user,
		password: () => password ?? "",
		database,
		tls: socket === null ? tls : "disable",
		channelBinding: "disable",
		connectionTimeout: waitMs / SECOND_MS,
		idleTimeout: 0,
		maxLifetime: 0,
		prepare: true,
		max: 1,
		bigint: true,
		connection: {
			application_name: applicationName ?? "agent-resort",
			options: "",
			TimeZone: "UTC",
			...KEEPALIVE,
			jit: "off",
			...(!isPatient && {
				...PLANS,
				statement_timeout: `${STATEMENT_MS}`,
				lock_timeout: `${STATEMENT_MS}`,
				idle_in_transaction_session_timeout: `${IDLE_TRANSACTION_MS}`,
			}),
		},
	} as ConstructorParameters<typeof Bun.SQL>[0];
}
