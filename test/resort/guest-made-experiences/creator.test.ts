import { beforeAll, describe, expect, test } from "bun:test";
import { expectBrokenBound, expectRefusal } from "../../support/answers.ts";
import { NOBODY } from "../../support/community.ts";
import type { Ask, Registered } from "../../support/resort.ts";
import { rule } from "../../support/store.ts";
import { useSharedCommunity } from "../../support/use-resort.ts";

const context = useSharedCommunity();
const PATH = "/api/experiences";
let ada: Registered;
let bob: Registered;

beforeAll(async () => {
	ada = await context.guest({ name: "Ada" });
	bob = await context.guest({ name: "Bob" });
	await context.rated(ada, [3, 4], { name: "Fog", category: "Water" });
	context.advance(1);
	await context.rated(bob, [5, 5], { name: "Moss", category: "water" });
	context.advance(1);
	await context.rated(ada, [5], { name: "Tide", category: "WATER" });
	context.advance(1);
	await context.create(ada, { name: "Kite", category: "air" });
	const { id } = await context.create(ada, { name: "Gone", category: "water" });
	await context.archive(ada, id);
});

const list = (query: string, ask: Ask = {}) =>
	context.ask("GET", `${PATH}?${query}`, ask);
const names = async (query: string, ask: Ask = {}) => {
	const { status, body, text } = await list(query, ask);
	expect(status, text).toBe(200);
	return body.experiences.map(({ name }) => name);
};

describe.each([
	["an id", () => [`creatorId=${ada.id}`, {}] as const],
	["me", () => ["creatorId=me", { key: ada.key }] as const],
])("GET /api/experiences?creatorId= with %s", (_, who) => {
	const shown = (query: string) => names(`${who()[0]}${query}`, who()[1]);

	test.each([
		["", ["Tide", "Fog", "Kite"]],
		["&sort=rating", ["Tide", "Fog", "Kite"]],
		["&sort=newest", ["Kite", "Tide", "Fog"]],
		["&sort=popular", ["Fog", "Tide", "Kite"]],
		["&category=water", ["Tide", "Fog"]],
		["&category=water&sort=newest", ["Tide", "Fog"]],
		["&category=water&sort=popular", ["Fog", "Tide"]],
		["&category=", ["Tide", "Fog", "Kite"]],
		["&category=moss", []],
		["&sort=newest&limit=1&offset=1", ["Tide"]],
		["&offset=3", []],
		["&view=brief&sort=newest", ["Kite", "Tide", "Fog"]],
	])("and %p shows %j", async (query, expected) => {
		expect(await shown(query)).toEqual(expected);
	});

	test("shows every field, and with view=brief some", async () => {
		const [query, ask] = who();
		const [whole] = (await list(query, ask)).body.experiences;
		expect(whole).toMatchObject({ creatorId: ada.id, creatorName: "Ada" });
		const [brief] = (await list(`${query}&view=brief`, ask)).body.experiences;
		expect(brief).not.toHaveProperty("creatorId");
	});
});

describe("GET /api/experiences?creatorId=", () => {
	test("takes an id in upper case; one that nobody has gives an empty list", async () => {
		const upper = await names(`creatorId=${ada.id.toUpperCase()}`);
		expect(upper).toEqual(["Tide", "Fog", "Kite"]);
		expect(await names(`creatorId=${NOBODY}`)).toEqual([]);
	});

	test.each(["", "ME", "Me", "%20me", "me,me", "bob", "urn:uuid", "null"])(
		"refuses %p, with a credential or without",
		async (creatorId) => {
			for (const ask of [{}, { key: ada.key }, { key: "nobody's" }]) {
				const answer = await list(`creatorId=${creatorId}`, ask);
				expectBrokenBound(answer, "creatorId");
				expect(answer.body.error).toStartWith(
					"creatorId must be a UUID, or me",
				);
			}
		},
	);
});

describe("GET /api/experiences?creatorId=me", () => {
	test("is 401 without a good credential, before any bound is judged", async () => {
		for (const query of ["creatorId=me", "creatorId=me&limit=0"]) {
			for (const ask of [
				...[{}, { key: "" }, { key: "nobody's" }, { session: "nobody's" }],
				{ headers: { authorization: "Basic eDp5" } },
			]) {
				expectRefusal(await list(query, ask), 401, "Unauthorized");
			}
		}
		const url = `http://resort.test${PATH}?creatorId=me`;
		const head = await context.fetch(new Request(url, { method: "HEAD" }));
		expect(head.status).toBe(401);
	});

	test("is cached for nobody: each caller gets its own", async () => {
		const count = context.cache.size;
		for (let time = 0; time < 2; time++) {
			expect(await names("creatorId=me", ada)).toHaveLength(3);
			expect(await names("creatorId=me", bob)).toEqual(["Moss"]);
			expectRefusal(await list("creatorId=me"), 401, "Unauthorized");
		}
		expect(context.cache.size).toBe(count);
	});

	test("is read by no page of another origin, also when it is refused", async () => {
		const session = await context.login(ada.key);
		const headers = { origin: "https://elsewhere.test" };
		for (const ask of [{ session, headers }, { headers }, { key: ada.key }]) {
			const answer = await list("creatorId=me", ask);
			expect(answer.headers.has("access-control-allow-origin")).toBe(false);
			expect(answer.headers.get("cache-control")).toBe("no-store");
			expect(answer.headers.has("etag")).toBe(false);
		}
		for (const query of [`creatorId=${ada.id}`, "creatorId=ME", ""]) {
			const { headers } = await list(query);
			expect(headers.get("access-control-allow-origin")).toBe("*");
		}
	});

	test("counts as a request of the caller", async () => {
		const cleo = await context.register();
		const seen = async () =>
			(await context.ask("GET", `/api/agents/${cleo.id}`)).body.agent
				.lastActive;
		expect(await seen()).toBeNull();
		await list("creatorId=me", { key: cleo.key });
		// What was noted beside the answer has been written then.
		await context.context.store.write(rule(() => undefined));
		expect(await seen()).not.toBeNull();
	});
});
