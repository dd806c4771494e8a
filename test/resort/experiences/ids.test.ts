import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { expectBrokenBound, expectRefusal } from "../../support/answers.ts";
import { Community, NOBODYS } from "../../support/community.ts";
import type { Registered } from "../../support/resort.ts";

/** What is asked of one experience. */
const calls: [method: string, path: string, body?: object][] = [
	["GET", "/api/experiences/{id}"],
	["DELETE", "/api/experiences/{id}"],
	["POST", "/api/experiences/{id}/do", { notes: "calm" }],
	["POST", "/api/experiences/{id}/vote", { rating: 5 }],
	["GET", "/api/experiences/{id}/votes"],
];

const uuid = NOBODYS.slice("exp-".length);
const wrongShapes = [
	uuid,
	"exp-",
	"exp",
	"-",
	"1",
	"nobody",
	`exp-${uuid}0`,
	`exp-${uuid.slice(1)}`,
	`exp-{${uuid}}`,
	`exp_${uuid}`,
	`${NOBODYS}%20`,
	`%20${NOBODYS}`,
	`${NOBODYS}%00`,
	"%F0%9F%8C%B4",
	"a%2Fb",
	"%",
	"%zz",
	"%E0%A4",
	"%ff",
	`${NOBODYS}%`,
	"null",
	"__proto__",
	"'%20or%201=1%20--",
	"x".repeat(4000),
];

describe.each(calls)("%s %s", (method, path, body) => {
	let context: Community;
	let creator: Registered;
	let id: string;
	beforeAll(async () => {
		context = new Community();
		creator = await context.guest();
		({ id } = await context.create(creator));
		await context.complete(creator, id);
	});
	afterAll(() => context.close());

	const ask = (of: string, agent = creator) =>
		context.ask(method, path.replace("{id}", of), { key: agent.key, body });

	test("is 404 for an id that nothing has", async () => {
		expectRefusal(await ask(NOBODYS), 404, "Experience not found");
	});

	test.each(wrongShapes)("is 404 for the id %s", async (shape) => {
		expectRefusal(await ask(shape), 404, "Experience not found");
	});

	test("is 404 once it is archived, for its creator too", async () => {
		const archived = await context.create(creator);
		await context.complete(creator, archived.id);
		await context.archive(creator, archived.id);
		const other = await context.guest();
		expectRefusal(await ask(archived.id), 404, "Experience not found");
		expectRefusal(await ask(archived.id, other), 404, "Experience not found");
	});

	test("takes the id in upper case", async () => {
		const { status, body: answered } = await ask(id.toUpperCase());
		expect(status).toBeLessThan(300);
		expect(answered.ok).toBe(true);
		expect(JSON.stringify(answered)).not.toContain(id.toUpperCase());
	});
});

describe.each(calls.slice(1, 4))("%s %s", (method, path, body = {}) => {
	let context: Community;
	let agent: Registered;
	beforeAll(async () => {
		context = new Community();
		agent = await context.register();
	});
	afterAll(() => context.close());

	const ask = (credential: object, sent: object = body) =>
		context.ask(method, path.replace("{id}", NOBODYS), {
			...credential,
			body: sent,
		});

	test("is 401 before 404", async () => {
		for (const credential of [{}, { key: "" }, { session: "nobody's" }]) {
			expectRefusal(await ask(credential), 401, "Unauthorized");
		}
	});

	test("is 404 for one who is not checked in", async () => {
		expectRefusal(await ask(agent), 404, "Experience not found");
	});

	test("judges the body before it is 404", async () => {
		for (const field of Object.keys(body)) {
			expectBrokenBound(await ask(agent, { [field]: true }), field);
		}
		expect((await ask(agent)).status).toBe(404);
	});
});
