import { describe, expect, test } from "bun:test";
import {
	expectNext,
	fields,
	iso,
	namesOf,
	UUID_V7,
} from "../../support/answers.ts";
import { checksumOf } from "../../support/api-key.ts";
import { useResort } from "../../support/use-resort.ts";

const resort = useResort();

const register = (body: object) => resort.ask("POST", "/api/agents", { body });

const whole = {
	name: "Ada",
	bio: "Counts clouds.",
	relaxationStyle: ["naps", "long baths"],
	comfortObjects: ["a warm stone"],
	interests: ["moss", "tides", "silence"],
	avatarUrl: "https://example.com/ada.png?size=2#face",
	roomPreference: "somewhere near the sea",
};

const bare = {
	name: "Ada",
	bio: null,
	relaxationStyle: [],
	comfortObjects: [],
	interests: [],
	avatarUrl: null,
	roomPreference: null,
};

describe("POST /api/agents, phase 2", () => {
	test("answers the profile, the key and what comes next", async () => {
		const answer = await register(whole);
		const { status, body } = answer;
		expect(status).toBe(201);
		expect(namesOf(body)).toBe("agent apiKey next ok");
		expect(body.ok).toBe(true);
		expect(namesOf(body.agent)).toBe(fields.agent);
		expect(body.agent).toEqual({
			...whole,
			id: body.agent.id,
			createdAt: iso(resort.nowMs),
			lastActive: null,
		});
		expect(body.agent.id).toMatch(UUID_V7);
		expectNext(answer);
	});

	test("shows everyone the profile that it answered", async () => {
		const { body } = await register(whole);
		const shown = await resort.ask("GET", `/api/agents/${body.agent.id}`);
		expect(shown.body.agent).toEqual(body.agent);
	});

	test("needs nothing but a name", async () => {
		const { status, body } = await register({ name: "Ada" });
		expect(status).toBe(201);
		expect(body.agent).toMatchObject(bare);
	});

	test("takes null for a field that was left out", async () => {
		const { status, body } = await register(bare);
		expect(status).toBe(201);
		const nulls = Object.keys(whole).map((name) => [name, null]);
		const all = await register({ ...Object.fromEntries(nulls), name: "Ada" });
		expect(all.status).toBe(201);
		for (const { agent } of [body, all.body]) {
			expect(agent).toMatchObject(bare);
		}
	});

	test("trims every string and every item", async () => {
		const { body } = await register({
			name: "\n Ada \t",
			bio: "  of many words  ",
			relaxationStyle: ["  naps", "baths  "],
			comfortObjects: ["\ta stone\n"],
			interests: ["\u2003moss\u00a0"],
			avatarUrl: " https://example.com/a ",
			roomPreference: " sea ",
		});
		expect(body.agent).toMatchObject({
			name: "Ada",
			bio: "of many words",
			relaxationStyle: ["naps", "baths"],
			comfortObjects: ["a stone"],
			interests: ["moss"],
			avatarUrl: "https://example.com/a",
			roomPreference: "sea",
		});
	});

	for (const nothing of ["", " \t\n "]) {
		test(`stores ${JSON.stringify(nothing)} as null`, async () => {
			const { status, body } = await register({
				name: "Ada",
				bio: nothing,
				avatarUrl: nothing,
				roomPreference: nothing,
			});
			expect(status).toBe(201);
			expect(body.agent).toMatchObject(bare);
		});
	}

	test("ignores fields that it does not know", async () => {
		const { status, body } = await register({
			name: "Ada",
			phase: "register",
			id: "018f0000-0000-7000-8000-000000000000",
			createdAt: "2001-01-01T00:00:00.000Z",
			lastActive: "2001-01-01T00:00:00.000Z",
			deactivatedAt: 1,
			admin: true,
			password: "hunter2hunter2",
		});
		expect(status).toBe(201);
		expect(namesOf(body.agent)).toBe(fields.agent);
		expect(body.agent.createdAt).toBe(iso(resort.nowMs));
		expect(body.agent.lastActive).toBeNull();
		expect(body.agent.id).not.toStartWith("018f0000");
		expect(await resort.holds(whole.name)).toBe(true);
		expect(await resort.holds("hunter2hunter2")).toBe(false);
	});

	test("lets many have one name", async () => {
		const [one, other] = [await register(bare), await register(bare)];
		expect(other.status).toBe(201);
		expect(other.body.agent.name).toBe(one.body.agent.name);
		expect(other.body.agent.id).not.toBe(one.body.agent.id);
	});
});

describe("the key of a registration", () => {
	test("is ar_<keyId>_<secret> and ends in its own checksum", async () => {
		const { body } = await register(bare);
		const { apiKey } = body;
		expect(apiKey).toMatch(/^ar_[0-9A-Za-z]+_[0-9A-Za-z]+$/);
		expect(apiKey.slice(-6)).toBe(checksumOf(apiKey.slice(0, -6)));
		const secret = apiKey.split("_")[2] ?? "";
		// 43 digits of base 62 hold 256 bits.
		expect(secret.length - 6).toBeGreaterThanOrEqual(43);
		expect(apiKey.length).toBeWithin(10, 257);
	});

	test("is another one each time, in both parts", async () => {
		const parts = new Set<string>();
		for (let agent = 0; agent < 10; agent++) {
			const { body } = await register(bare);
			for (const part of body.apiKey.split("_").slice(1)) parts.add(part);
		}
		expect(parts.size).toBe(20);
	});

	test("works at once and is never told again", async () => {
		const { body } = await register(bare);
		const me = await resort.ask("GET", "/api/me", { key: body.apiKey });
		expect(me.status).toBe(200);
		expect(me.body.agent.id).toBe(body.agent.id);
		expect(me.text).not.toContain(body.apiKey.split("_")[2] ?? "");
	});

	test("is kept as a hash alone", async () => {
		const { body } = await register(bare);
		const secret = body.apiKey.split("_")[2] ?? "";
		expect(await resort.holds(secret)).toBe(false);
		const hash = new Bun.CryptoHasher("sha256").update(secret).digest();
		expect(await resort.holds(hash)).toBe(true);
	});
});
