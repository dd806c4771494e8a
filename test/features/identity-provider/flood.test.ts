/** Tests that floods of invented keys do not delay calls with valid keys. */
import { describe, expect, test } from "bun:test";
import { MINUTE_MS } from "../../../src/core/lib/clock.ts";
import { expectFailure, expectRefusal } from "../../support/answers.ts";
import { House, keyOf } from "./house.ts";
import { ADDRESS, accepted, introspect, Provider, refused } from "./provider.ts";

const full = { outcome: "unavailable", reason: "too many requests", retryAfterSeconds: 1 } as const;

/** The maximum number of concurrent introspections in total. */
const FLIGHTS = 100;
/** The maximum number of concurrent introspections from one network, if rate limits are on. */
const OF_ADDRESS = 8;

/** The maximum number of unknown keys from one network that are introspected in a minute. */
const UNKNOWN = 30;

/** Simulates a provider that responds only when `answer` is called. It accepts keys that begin with `ai_good`. */
class Held {
	readonly #provider = new Provider();
	readonly asked: string[] = [];
	readonly #answers: { token: string; resolve: () => void }[] = [];
	readonly #calls = new Map<string, Promise<unknown>>();
	readonly introspector;
	nowMs = this.#provider.nowMs;

	constructor(rateLimits: boolean) {
		const take = async (token: string) => {
			this.asked.push(token);
			await new Promise<void>((resolve) => this.#answers.push({ token, resolve }));
		};
		this.introspector = this.#provider.offline(take, { rateLimits, clock: () => this.nowMs });
	}

	/** Introspects the key `ai_` + `name`; by default, an invented key. */
	ask(address: string, name: string = crypto.randomUUID()) {
		const key = `ai_${name}`;
		const call = introspect(this.introspector, key, address);
		this.#calls.set(key, call);
		return call;
	}

	invent(count: number, address: string) {
		return Array.from({ length: count }, () => this.ask(address));
	}

	/** Responds to the `count` oldest introspections in progress, by default to all of them. */
	async answer(count = Number.POSITIVE_INFINITY): Promise<void> {
		await Bun.sleep(0);
		for (const { token, resolve } of this.#answers.splice(0, count)) {
			resolve();
			await this.#calls.get(token);
		}
		await Bun.sleep(0);
	}

	/** Responds to all introspections, including those that still wait for their turn. */
	async answerAll(): Promise<void> {
		let isDone = false;
		const all = Promise.all(this.#calls.values()).then(() => {
			isDone = true;
		});
		while (!isDone) await this.answer();
		await all;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.answerAll();
		await this.#provider.stop();
	}
}

/** Expects that exactly `checked` keys of a flood were introspected. */
async function expectKnown(flood: readonly ReturnType<Held["ask"]>[], checked: number): Promise<void> {
	const outcomes = (await Promise.all(flood)).map(({ outcome }) => outcome);
	const limited = flood.length - checked;
	expect(outcomes.toSorted()).toEqual([
		...Array(limited).fill("rate_limited"),
		...Array(checked).fill("refused"),
	]);
}

describe("unknown keys", () => {
	test.each<[most: number, network: string, addresses: readonly string[]]>([
		[30, "an IPv4 address", ["192.0.2.1"]],
		[30, "a /64 network", ["2001:db8:1:2::/64"]],
		[300, "a /48 network", [..."123456789ab"].map((at) => `2001:db8:1:${at}00::/64`)],
	])(
		"cause at most %d introspections a minute for %s, even if they arrive together",
		async (most, _, addresses) => {
			await using held = new Held(true);
			const flood: ReturnType<Held["ask"]>[] = [];
			for (let wave = 0; wave < 3; wave++) {
				flood.push(...addresses.flatMap((address) => held.invent(20, address)));
				await held.answerAll();
			}
			await expectKnown(flood, most);
			const [address = ""] = addresses;
			const asked = held.asked.length;
			expect(await held.ask(address)).toEqual({ outcome: "rate_limited", retryAfterSeconds: 60 });
			expect(held.asked).toHaveLength(asked);
			// Keys from another network are introspected, and a minute later also keys from the limited network.
			const other = held.ask("203.0.113.9");
			await held.answer();
			expect(await other).toEqual(refused);
			held.nowMs += MINUTE_MS;
			const later = held.ask(address);
			await held.answer();
			expect(await later).toEqual(refused);
		},
	);

	test("neither delay nor limit the renewed introspection of an accepted key from the same network", async () => {
		await using held = new Held(true);
		// Accepted keys do not count as unknown ones.
		const good = Array.from({ length: 100 }, (_, at) => held.ask(ADDRESS, `good-key-${at}`));
		await held.answerAll();
		for (const answer of await Promise.all(good)) expect(answer).toMatchObject(accepted);
		const flood = held.invent(200, ADDRESS);
		held.nowMs += MINUTE_MS;
		const again = held.ask(ADDRESS, "good-key-1");
		await held.answer(2);
		expect(held.asked.filter((key) => key === "ai_good-key-1")).toHaveLength(2);
		await held.answerAll();
		expect(await again).toMatchObject(accepted);
		await Promise.all(flood);
	});
});

test.each([
	["on", OF_ADDRESS, 250],
	["off", FLIGHTS, 5_000],
])(
	"with rate limits %s, at most %d introspections for one address run at a time, and at most %d wait",
	async (limits, flights, waiting) => {
		const rateLimits = limits === "on";
		await using held = new Held(rateLimits);
		const flood = held.invent(flights + waiting, ADDRESS);
		await Bun.sleep(0);
		expect(held.asked).toHaveLength(flights);
		const [more] = held.invent(1, ADDRESS);
		expect(await more).toEqual(full);
		await held.answerAll();
		await expectKnown(flood, rateLimits ? UNKNOWN : flood.length);
	},
);

test("an introspection that has waited 3 seconds for others fails with the error `unavailable`", async () => {
	await using held = new Held(true);
	const asked = held.invent(OF_ADDRESS + 1, ADDRESS);
	expect(await asked.at(-1)).toEqual(full);
	expect(held.asked).toHaveLength(OF_ADDRESS);
});

test("a call with the 31st unknown key from a /64 network in a minute returns 429, with Retry-After", async () => {
	await using context = new House({ rateLimits: true });
	const { provider, resort } = context;
	provider.answer = () => Response.json({ active: false });
	const invent = (at: number) => resort.me({ key: keyOf("invented", at), peer: `2001:db8:1:2:${at % 2}::1` });
	for (let at = 0; at < UNKNOWN; at++) expectRefusal(await invent(at), 401, "Unauthorized");
	const limited = await invent(UNKNOWN);
	expectFailure(limited, 429);
	expect(limited.headers.get("retry-after")).toBe("60");
	context.answerWith({});
	const body = { apiKey: keyOf("new") };
	for (const [peer, status] of [
		["2001:db8:1:2::1", 429],
		["2001:db8:1:3::1", 200],
	] as const) {
		expect((await resort.call("POST", "/api/session", { body, peer })).status).toBe(status);
	}
});
