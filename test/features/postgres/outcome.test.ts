import { expect } from "bun:test";
import { UnknownOutcome } from "../../../src/features/postgres/postgres-failure.ts";
import type { PostgresStore } from "../../../src/features/postgres/postgres-store.ts";
import { until } from "../../support/until.ts";
import { startPair } from "./support/pair.ts";
import { startProxy, type TestProxy } from "./support/proxy.ts";
import { CONNECTIONS, openPostgres, portOf, testOnStore } from "./support/shared.ts";
import { testOnPostgres } from "./support/test-on-postgres.ts";

/** The delay of the proxy. It leaves time to cut the connection before the response to a commit arrives. */
const DELAY_MS = 400;

/** Matches error details without a hint. An error has a hint if the outcome is unknown. */
const NO_HINT = expect.not.objectContaining({ hint: expect.anything() });

const news = { type: "agent.changed", agentId: null };

function* note(store: PostgresStore, nonce: string) {
	yield* store.prepare("insert into nonces (nonce, expires_at) values (?, 0)").run([nonce]);
	yield* store.publish(news);
}

async function countOf(store: PostgresStore, nonce: string): Promise<unknown> {
	const [row] = await store.query("select count(*) as n from nonces where nonce = $1", [nonce]);
	return row?.n;
}

/** Defines a test with two stores on the same database, one of them behind a proxy that delays all data. */
function testSlowly(
	name: string,
	body: (direct: PostgresStore, slow: PostgresStore, proxy: TestProxy) => Promise<void>,
): void {
	testOnStore(name, async (direct, url) => {
		await using proxy = await startProxy(portOf(url));
		const slow = await openPostgres(proxy.url(url));
		proxy.delay(DELAY_MS);
		await body(direct, slow, proxy);
		await slow.close();
	});
}

testSlowly(
	"the store reports an unknown outcome if the response to the commit of a group of changes is lost",
	async (direct, slow, proxy) => {
		const changing = ["a", "b"].map((nonce) => slow.withDeadline(() => slow.write(() => note(slow, nonce))));
		for (const one of changing) one.catch(() => {});
		await until(async () => (await countOf(direct, "a")) === 1);
		proxy.cut();
		for (const one of changing) {
			await expect(one).rejects.toMatchObject({
				code: "unavailable",
				cause: expect.any(UnknownOutcome),
				details: { hint: expect.stringContaining("not known") },
			});
		}
	},
);

testSlowly(
	"a request whose queries take too long in total is refused, and writes nothing",
	async (direct, store, proxy) => {
		const read = () => store.prepare("select 1 as n").get([], (row) => row.n);
		// The proxy makes each query take 0.8 s. Three queries take longer than a request may wait (1.8 s).
		const request = async () => {
			for (let asked = 0; asked < 3; asked++) await store.read(read);
			return store.write(() => note(store, "late"));
		};
		await expect(store.withDeadline(request)).rejects.toMatchObject({
			code: "unavailable",
			details: NO_HINT,
		});
		expect(await countOf(direct, "late")).toBe(0);
		// The next request has a new deadline.
		proxy.heal();
		await store.withDeadline(() => store.write(() => note(store, "soon")));
		expect(await countOf(direct, "soon")).toBe(1);
	},
);

testOnPostgres("the store opens no further connections while commits wait for a standby", async () => {
	await using pair = await startPair();
	const store = await openPostgres(pair.primary.url);
	await pair.standby.kill();
	await expect(store.write(() => note(store, "a"))).rejects.toMatchObject({
		code: "unavailable",
		details: { hint: expect.stringContaining("not known") },
	});
	// One of these writes waits for a row that the write of `a` has locked; the others wait for a connection.
	// When one write fails, another may begin, and its outcome may be unknown, too. So hints are not checked.
	const others = ["b", "c", "d", "e", "f"].map((nonce) => store.write(() => note(store, nonce)));
	for (const outcome of await Promise.allSettled(others)) {
		expect(outcome).toMatchObject({ status: "rejected", reason: { code: "unavailable" } });
	}
	const [row] = await store.query(
		"select count(*) as n from pg_stat_activity where application_name = 'agent-resort'",
		[],
	);
	expect(row?.n).toBeLessThanOrEqual(CONNECTIONS);
	// The write of `a`, whose outcome was unknown, is committed once the standby is back.
	await pair.standby.restart();
	await until(async () => (await countOf(store, "a")) === 1);
	await until(() => {
		const noted = store.write(() => note(store, crypto.randomUUID()));
		return noted.then(
			() => true,
			() => false,
		);
	});
	await store.close();
});
