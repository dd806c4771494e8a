import { describe, expect, test } from "bun:test";
import { DAY_MS, MINUTE_MS, SECOND_MS } from "../../../../src/core/lib/clock.ts";
import { TestResort } from "../../../support/resort.ts";
import { useResort } from "../../../support/use-resort.ts";

const resort = useResort();

const register = (body: object) => resort.call("POST", "/api/agents", { body });

describe("POST /api/agents without a name or with the phase `discover`", () => {
	test.each<[object]>([
		[{}],
		[{ phase: "discover", name: 5, bio: ["not", "a", "text"] }],
		[{ phase: "discover", avatarUrl: "http://example.com" }],
		[{ phase: 2 }],
		[{ bio: "I have no name" }],
	])("returns an identity brief for the body %j, and stores nothing", async (body) => {
		const answer = await register(body);
		expect([answer.status, answer.body.phase]).toEqual([200, "discover"]);
		expect(await resort.rows("SELECT * FROM agents")).toEqual([]);
	});
});

describe("the daily limit of registrations", () => {
	const limited = useResort({ rateLimits: true });
	const ADDRESS = "198.51.100.1";
	const ask = (body: object, peer: string) => limited.call("POST", "/api/agents", { body, peer });

	/** Registers agents until a registration is refused. Returns the number of registered agents. */
	async function registerSome(): Promise<number> {
		let made = 0;
		while ((await ask({ name: "Ada" }, ADDRESS)).status === 201) made++;
		return made;
	}

	test("allows 100 registrations from one address in 24 hours", async () => {
		const firstMs = limited.nowMs;
		let registered = 0;
		for (let quarter = 0; quarter < 24; quarter++) {
			registered += await registerSome();
			limited.advance(15 * MINUTE_MS);
		}
		expect(registered).toBe(100);
		const { status, headers } = await ask({ name: "Ada" }, ADDRESS);
		const seconds = (firstMs + DAY_MS - limited.nowMs) / SECOND_MS;
		expect(status).toBe(429);
		expect(headers.get("retry-after")).toBe(String(seconds));
		expect(headers.get("ratelimit-policy")).toBe('"register-daily";q=100;w=86400');
		expect((await ask({ phase: "discover" }, ADDRESS)).status).toBe(200);
		expect((await ask({ name: "Ada" }, "203.0.113.9")).status).toBe(201);
		limited.advance(seconds * SECOND_MS - 1);
		// The refused calls do not count towards the limit of 5 in 15 minutes either.
		for (let call = 0; call < 6; call++) {
			const { status, headers } = await ask({ name: "Ada" }, ADDRESS);
			expect([status, headers.get("retry-after")]).toEqual([429, "1"]);
		}
		limited.advance(1);
		expect(await registerSome()).toBe(5);
	});

	test("does not count refused registrations", async () => {
		await using invited = new TestResort({ rateLimits: true, registration: "invite" });
		const body = { name: "Ada", inviteCode: "none" };
		for (let call = 0; call <= 100; call++) {
			const { status } = await invited.call("POST", "/api/agents", { body });
			expect(status).toBe(403);
			invited.advance(3 * MINUTE_MS);
		}
	});
});

test("the API key of a registration is not returned again, and is stored only as a hash", async () => {
	const { key } = await resort.register();
	const secret = key.split("_")[2] ?? "";
	expect((await resort.me({ key })).text).not.toContain(secret);
	expect(await resort.holds(secret)).toBe(false);
	const hash = new Bun.CryptoHasher("sha256").update(secret).digest();
	expect(await resort.holds(hash)).toBe(true);
});
