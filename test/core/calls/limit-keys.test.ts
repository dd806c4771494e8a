import { describe, expect, test } from "bun:test";
import { Caller, limited, operations, rows } from "../../support/operations.ts";
import { TestResort } from "../../support/resort.ts";

/** The source of a call: the address of its connection, and the value of `X-Forwarded-For`. */
type From = readonly [peer: string, forwarded?: string];

const byAddress = limited.filter(({ limit }) => limit.by === "address");

describe.each(rows(byAddress))("%s", (_, operation) => {
	const { count, windowMs } = operation.limit;

	test.each<[times: number, networks: string, from: (at: string) => From]>([
		[10, "/64 networks in one /48", (at) => [`2001:db8:1:${at}00::1`]],
		[10, "/64 networks in one /48, behind a proxy", (at) => ["10.0.0.1", `2001:db8:1:${at}00::1`]],
		[11, "/64 networks in different /48", (at) => [`2001:db8:${at}::1`]],
		[11, "IPv4 addresses", (at) => [`192.0.2.${Number.parseInt(at, 16)}`]],
	])("admits %d times its limit from eleven %s", async (times, _networks, from) => {
		await using resort = new TestResort({ rateLimits: true, trustedProxies: ["10.0.0.0/8"] });
		// Each network sends one call more than its limit allows.
		let admitted = 0;
		for (let at = 0x11; at <= 0x1b; at++) {
			for (let asked = 0; asked <= count; asked++) {
				const [peer, forwarded] = from(at.toString(16));
				const { status, headers } = await resort.call("POST", operation.path, {
					peer,
					headers: forwarded === undefined ? {} : { "x-forwarded-for": forwarded },
					body: operation.body?.good,
				});
				if (status !== 429) admitted++;
				else expect(Number(headers.get("retry-after"))).toBe(windowMs / 1000);
			}
		}
		expect(admitted).toBe(times * count);
	});
});

const byAgent = limited.filter(({ limit }) => limit.by === "agent");

describe.each(rows(byAgent))("%s", (_, operation) => {
	test("counts all calls of an agent together, from any address and with any session or key, but not those of another agent", async () => {
		await using resort = new TestResort({ rateLimits: true });
		const caller = await Caller.create(resort);
		const other = await Caller.create(resort);
		await caller.exhaust(operation);
		expect((await caller.call(operation, { peer: other.address })).status).toBe(429);
		expect((await other.call(operation, { peer: caller.address })).status).not.toBe(429);
		if (operation.credential === "any") {
			const session = await resort.login(caller.key);
			const { method, path, body } = operation;
			const ask = { session, ...(body && { body: body.good }) };
			expect((await resort.call(method, path.replace(":id", "x"), ask)).status).toBe(429);
			const renewed = await resort.call("POST", "/api/me/api-key", { key: caller.key });
			caller.key = renewed.body.apiKey;
			expect((await caller.call(operation)).status).toBe(429);
		}
	});
});

test("the responses of an operation without a rate limit have no RateLimit fields", async () => {
	await using resort = new TestResort({ rateLimits: true });
	const caller = await Caller.create(resort);
	const names = limited.map(({ path, method }) => `${method} ${path}`);
	for (const operation of operations) {
		const isLimited = names.includes(`${operation.method} ${operation.path}`);
		if (isLimited || operation.method === "DELETE") continue;
		for (let call = 0; call < 40; call++) {
			const { status, headers } = await caller.call(operation);
			expect(status).not.toBe(429);
			expect(headers.has("ratelimit")).toBe(false);
			expect(headers.has("ratelimit-policy")).toBe(false);
		}
	}
});
