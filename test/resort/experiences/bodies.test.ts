import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { expectRefusal } from "../../support/answers.ts";
import { brokenBodies, emptyBodies, largeBody } from "../../support/bodies.ts";
import { Community } from "../../support/community.ts";
import type { Ask, Registered } from "../../support/resort.ts";

/** What takes a body, and whether it may be left out. */
const calls: [path: string, optional: boolean][] = [
	["/api/experiences", false],
	["/api/experiences/{id}/do", true],
	["/api/experiences/{id}/vote", false],
	["/api/postcards", false],
];

describe.each(calls)("POST %s", (path, optional) => {
	let context: Community;
	let guest: Registered;
	let id: string;
	beforeAll(async () => {
		context = new Community();
		guest = await context.guest();
		({ id } = await context.create(guest));
		await context.complete(guest, id);
	});
	afterAll(() => context.close());

	const post = (ask: Ask) =>
		context.ask("POST", path.replace("{id}", id), { key: guest.key, ...ask });

	/** What there is, to see that a refused call made nothing. */
	const made = async () => [
		await context.names(),
		await context.see(id),
		await context.messages("/api/postcards"),
	];

	test.each(brokenBodies)("is 400 for $name", async ({ ask }) => {
		const before = await made();
		const answer = await post(ask);
		expectRefusal(answer, 400, answer.body.error);
		expect(answer.body.error).not.toBe("");
		expect(await made()).toEqual(before);
	});

	const untyped = brokenBodies.filter(({ name }) =>
		/ of no | form| plain/.test(name),
	);

	test.each(untyped)("says what would help for $name", async ({ ask }) => {
		const { body } = await post(ask);
		expect(body.hint).toMatch(/application\/json/i);
	});

	test("is 413 for a body over 64 KiB, and 401 before that", async () => {
		const before = await made();
		const answer = await post(largeBody);
		expectRefusal(answer, 413, answer.body.error);
		const unknown = await post({ ...largeBody, key: "nobody's key" });
		expectRefusal(unknown, 401, "Unauthorized");
		expect(await made()).toEqual(before);
	});

	test.each(emptyBodies)(
		`is ${optional ? 201 : 400} for $name`,
		async ({ ask }) => {
			const answer = await post(ask);
			if (optional) expect(answer.status).toBe(201);
			else expectRefusal(answer, 400, answer.body.error);
		},
	);
});
