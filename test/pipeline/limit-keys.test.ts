import { describe, expect, test } from "bun:test";
import { Caller } from "../support/caller.ts";
import { limited, operations, rows } from "../support/operations.ts";
import { TestResort } from "../support/resort.ts";

/** A registration attempt, as a proxy or a caller sends it. */
interface From {
	readonly peer: string;
	readonly forwarded?: string;
}

interface Pair {
	readonly name: string;
	readonly one: From;
	readonly other: From;
	readonly trusted?: readonly string[];
}

const proxies = ["10.0.0.0/8", "fd00::/8"];

const same: Pair[] = [
	{
		name: "one IPv6 /64",
		one: { peer: "2001:db8:1:2::1" },
		other: { peer: "2001:db8:1:2:ffff:ffff:ffff:ffff" },
	},
	{
		name: "an IPv4 address and its mapped form",
		one: { peer: "192.0.2.77" },
		other: { peer: "::ffff:192.0.2.77" },
	},
	{
		name: "a stranger who claims to forward for others",
		one: { peer: "203.0.113.5", forwarded: "198.51.100.1" },
		other: { peer: "203.0.113.5", forwarded: "198.51.100.2" },
		trusted: proxies,
	},
	{
		name: "a forwarded one who invents what stands to the left",
		one: { peer: "10.0.0.1", forwarded: "1.1.1.1, 198.51.100.1" },
		other: { peer: "10.0.0.1", forwarded: "2.2.2.2, 198.51.100.1" },
		trusted: proxies,
	},
	{
		name: "one caller through different chains of proxies",
		one: { peer: "10.0.0.1", forwarded: "198.51.100.1" },
		other: { peer: "fd00::9", forwarded: "198.51.100.1, 10.1.1.1 ,10.2.2.2" },
		trusted: proxies,
	},
	{
		name: "a forwarded one and the same one directly",
		one: { peer: "10.0.0.1", forwarded: "198.51.100.1" },
		other: { peer: "198.51.100.1" },
		trusted: proxies,
	},
	{
		name: "two of one /64 behind a proxy",
		one: { peer: "10.0.0.1", forwarded: "2001:db8::1" },
		other: { peer: "10.0.0.1", forwarded: "2001:db8::2" },
		trusted: proxies,
	},
	{
		name: "what stands left of an entry that is no address",
		one: { peer: "10.0.0.1", forwarded: "198.51.100.1, unknown, 10.0.0.2" },
		other: { peer: "10.0.0.1", forwarded: "198.51.100.2, 1, 10.0.0.2" },
		trusted: proxies,
	},
	{
		name: "a proxy that forwards nothing and one that forwards rubbish",
		one: { peer: "10.0.0.1" },
		other: { peer: "10.0.0.1", forwarded: "rubbish" },
		trusted: proxies,
	},
];

const different: Pair[] = [
	{
		name: "two IPv4 addresses",
		one: { peer: "192.0.2.1" },
		other: { peer: "192.0.2.2" },
	},
	{
		name: "two IPv6 /64",
		one: { peer: "2001:db8:1:2::1" },
		other: { peer: "2001:db8:1:3::1" },
	},
	{
		name: "two forwarded ones",
		one: { peer: "10.0.0.1", forwarded: "198.51.100.1" },
		other: { peer: "10.0.0.1", forwarded: "198.51.100.2" },
		trusted: proxies,
	},
	{
		name: "a forwarded one and another who only claims to be it",
		one: { peer: "10.0.0.1", forwarded: "198.51.100.1" },
		other: { peer: "10.0.0.1", forwarded: "198.51.100.1, 198.51.100.2" },
		trusted: proxies,
	},
	{
		name: "two proxies when none is trusted",
		one: { peer: "10.0.0.1", forwarded: "198.51.100.1" },
		other: { peer: "10.0.0.2", forwarded: "198.51.100.1" },
	},
];

const byAddress = limited.filter(({ limit }) => limit.by === "address");

describe.each(rows(byAddress))("%s", (_, operation) => {
	/** Whether calls from one place use up the limit of another. */
	async function areOne({ one, other, trusted = [] }: Pair): Promise<boolean> {
		const resort = new TestResort({
			rateLimits: true,
			trustedProxies: trusted,
		});
		const ask = async ({ peer, forwarded }: From) => {
			const headers: Record<string, string> =
				forwarded === undefined ? {} : { "x-forwarded-for": forwarded };
			const { status } = await resort.ask("POST", operation.path, {
				peer,
				headers,
				body: operation.body?.good,
			});
			return status === 429;
		};
		for (let call = 0; call < operation.limit.count; call++) {
			expect(await ask(one)).toBe(false);
		}
		expect(await ask(one)).toBe(true);
		const isRefused = await ask(other);
		await resort.close();
		return isRefused;
	}

	test.each(same)("takes for one: $name", async (pair) => {
		expect(await areOne(pair)).toBe(true);
	});

	test.each(different)("tells apart: $name", async (pair) => {
		expect(await areOne(pair)).toBe(false);
	});
});

/** An address in one of many networks, by the number of the network. */
type Addresses = (at: number) => string;

const networks: [name: string, address: Addresses, times: number][] = [
	["a /64", (at) => `2001:db8:1:2::${at.toString(16)}`, 1],
	["a /56", (at) => `2001:db8:1:2${at.toString(16).padStart(2, "0")}::1`, 4],
	["a /48", (at) => `2001:db8:1:${(at << 8).toString(16)}::1`, 10],
	["more than a /48", (at) => `2001:db8:${at.toString(16)}::1`, 11],
	["IPv4", (at) => `192.0.2.${at}`, 11],
];

const ways: [name: string, from: (address: string) => From][] = [
	["directly", (peer) => ({ peer })],
	["through a proxy", (forwarded) => ({ peer: "10.0.0.1", forwarded })],
	[
		"through a proxy, behind an invented address",
		(address) => ({ peer: "fd00::1", forwarded: `1.1.1.1, ${address}` }),
	],
];

describe.each(rows(byAddress))("%s", (_, operation) => {
	const { count, windowMs } = operation.limit;

	describe.each(ways)("%s", (_way, from) => {
		test.each(networks)("%s", async (_network, address, times) => {
			const resort = new TestResort({
				rateLimits: true,
				trustedProxies: proxies,
			});
			// Each address asks once more than it may.
			const statuses: number[] = [];
			for (let at = 1; at <= 11; at++) {
				const { peer, forwarded } = from(address(at));
				for (let call = 0; call <= count; call++) {
					const answered = await resort.ask("POST", operation.path, {
						peer,
						headers: forwarded ? { "x-forwarded-for": forwarded } : {},
						body: operation.body?.good,
					});
					statuses.push(answered.status);
					if (answered.status !== 429) continue;
					const seconds = Number(answered.headers.get("retry-after"));
					expect(seconds).toBe(windowMs / 1000);
				}
			}
			const admitted = statuses.filter((status) => status !== 429);
			expect(admitted).toHaveLength(times * count);
			await resort.close();
		});
	});
});

const byAgent = limited.filter(({ limit }) => limit.by === "agent");

describe.each(rows(byAgent))("%s", (_, operation) => {
	test("follows the agent through addresses, sessions and new keys", async () => {
		const resort = new TestResort({ rateLimits: true });
		const caller = await Caller.create(resort);
		await caller.exhaust(operation);
		const peer = "203.0.113.200";
		const moved = await caller.call(operation, { peer });
		expect(moved.status).toBe(429);
		if (operation.credential === "any") {
			const session = await resort.login(caller.key);
			const { body } = operation;
			const method = operation.method;
			const path = operation.path.replace(":id", "x");
			const ask = { session, ...(body && { body: body.good }) };
			expect((await resort.ask(method, path, ask)).status).toBe(429);
			const renewed = await resort.ask("POST", "/api/me/api-key", {
				key: caller.key,
			});
			caller.key = renewed.body.apiKey;
			expect((await caller.call(operation)).status).toBe(429);
		}
		await resort.close();
	});

	test("tells agents of one address apart", async () => {
		const resort = new TestResort({ rateLimits: true });
		const one = await Caller.create(resort);
		const other = await Caller.create(resort);
		await one.exhaust(operation);
		const answered = await other.call(operation, { peer: one.address });
		expect(answered.status).not.toBe(429);
		await resort.close();
	});
});

test("an operation outside the table has no limit and says nothing of one", async () => {
	const resort = new TestResort({ rateLimits: true });
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
	await resort.close();
});
