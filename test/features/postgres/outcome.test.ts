import { expect } from "bun:test";
import { UnknownOutcome } from "../../../src/features/postgres/postgres-failure.ts";
import type { PostgresStore } from "../../../src/features/postgres/postgres-store.ts";
import { CONNECTIONS, openPostgres } from "../../support/postgres/lazy-store.ts";
import { startPair } from "../../support/postgres/pair.ts";
import { startProxy } from "../../support/postgres/proxy.ts";
import { newDatabase, portOf } from "../../support/postgres/shared.ts";
import { testOnPostgres } from "../../support/postgres/test-on-postgres.ts";
import { until } from "../../support/until.ts";

/** How long each piece takes through the proxy: the answer to a commit is lost in that time. */
const DELAY_MS = 400;

const news = { type: "agent.changed", agentId: null };

function* note(store: PostgresStore, nonce: string) {
	yield* store.prepare("insert into nonces (nonce, expires_at) values (?, 0)").run([nonce]);
	yield* store.publish(news);
}

async function countOf(store: PostgresStore, nonce: string): Promise<unknown> {
	const [row] = await store.query("select count(*) as n from nonces where nonce = $1", [nonce]);
	return row?.n;
}

/** Opens a database twice: directly, and through a proxy that delays every piece. */
async function openSlowly() {
	const url = await newDatabase({ withTables: true });
	const proxy = await startProxy(portOf(url));
	const direct = await openPostgres(url);
	const slow = await openPostgres(proxy.url(url));
	proxy.delay(DELAY_MS);
	return {
		proxy,
		direct,
		slow,
		async [Symbol.asyncDispose]() {
			await Promise.all([direct.close(), slow.close()]);
			await proxy[Symbol.asyncDispose]();
		},
	};
}

/** A change in a transaction of its own, and changes of requests, which share one. */
const changes = [
	{ name: "a change", nonces: ["a"], isRequest: false },
	{ name: "a group", nonces: ["a", "b"], isRequest: true },
];

for (const { name, nonces, isRequest } of changes) {
	testOnPostgres(`the commit of ${name} whose answer is lost has an unknown outcome`, async () => {
		await using scene = await openSlowly();
		const { proxy, direct: store, slow: behindProxy } = scene;
		const changing = nonces.map(async (nonce) => {
			const write = () => behindProxy.write(() => note(behindProxy, nonce));
			return isRequest ? behindProxy.withDeadline(write) : write();
		});
		for (const one of changing) one.catch(() => {});
		await until(async () => (await countOf(store, "a")) === 1);
		proxy.cut();
		for (const one of changing) {
			await expect(one).rejects.toMatchObject({
				code: "unavailable",
				cause: expect.any(UnknownOutcome),
				details: { hint: expect.stringContaining("not known") },
			});
		}
	});
}

testOnPostgres(
	"a request that the database answers too slowly is refused, and nothing of it happens",
	async () => {
		await using scene = await openSlowly();
		const { proxy, direct, slow: store } = scene;
		const read = function* () {
			return yield* store.prepare("select 1 as n").get([], (row) => row.n);
		};
		// Each question takes 0.8 s, so that three of them take longer than a request may.
		const request = async () => {
			for (let asked = 0; asked < 3; asked++) await store.read(read);
			return store.write(() => note(store, "late"));
		};
		await expect((async () => store.withDeadline(request))()).rejects.toMatchObject({
			code: "unavailable",
			details: {},
		});
		expect(await countOf(direct, "late")).toBe(0);
		// The next request begins anew.
		proxy.heal();
		await store.withDeadline(() => store.write(() => note(store, "soon")));
		expect(await countOf(direct, "soon")).toBe(1);
	},
);

testOnPostgres("commits that wait for a standby take no further connections", async () => {
	await using pair = await startPair();
	const store = await openPostgres(pair.primary.url);
	await pair.standby.kill();
	for (const nonce of ["a", "b", "c", "d", "e", "f"]) {
		const isFirst = nonce === "a";
		const refused = store.write(() => note(store, nonce));
		await expect(refused).rejects.toMatchObject({
			code: "unavailable",
			// The other writes get no free connection, so they have no hint about an unknown outcome.
			details: isFirst ? { hint: expect.stringContaining("not known") } : {},
		});
	}
	const [row] = await store.query(
		"select count(*) as n from pg_stat_activity where application_name = 'agent-resort'",
		[],
	);
	expect(row?.n).toBeLessThanOrEqual(CONNECTIONS);
	// A caller that waits for a commit learns that it may happen, and it does.
	await pair.standby.restart();
	await until(async () => (await countOf(store, "a")) === 1);
	await until(async () => {
		const noted = store.write(() => note(store, crypto.randomUUID()));
		return noted.then(
			() => true,
			() => false,
		);
	});
	await store.close();
});
