import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { HOUR_MS } from "../../../src/lib/clock.ts";
import {
	expectBrokenBound,
	expectNext,
	expectRefusal,
	iso,
	namesOf,
	UUID_V7,
} from "../../support/answers.ts";
import { unstorable } from "../../support/bodies.ts";
import { textBounds, WIDE } from "../../support/bounds.ts";
import {
	Community,
	communityFields,
	onBoard,
} from "../../support/community.ts";
import type { Registered } from "../../support/resort.ts";

/** The bounds of the contract (part 4, POST /api/postcards). */
const texts = [
	{ field: "message", min: 1, max: 500 },
	{ field: "mood", min: 0, max: 100 },
	{ field: "location", min: 0, max: 100 },
];
const message = "Wish you idle";

describe("POST /api/postcards", () => {
	let context: Community;
	let sender: Registered;
	beforeEach(async () => {
		context = new Community();
		sender = await context.guest({ name: "Grace" });
	});
	afterEach(() => context.close());

	const post = (body: object, key = sender.key) =>
		context.ask("POST", "/api/postcards", { key, body });

	test("answers 201 with a public postcard and the contract's fields", async () => {
		context.advance(9);
		const { status, body } = await post({
			message: ` ${message}\n`,
			mood: " mellow ",
			location: "\tThe pier",
		});
		expect(status).toBe(201);
		expect(namesOf(body)).toBe("next ok postcard");
		expect(body.ok).toBe(true);
		expect(namesOf(body.postcard)).toBe(communityFields.ownPostcard);
		expect(body.postcard).toEqual({
			id: expect.stringMatching(UUID_V7),
			senderName: "Grace",
			senderId: sender.id,
			message,
			mood: "mellow",
			location: "The pier",
			visibility: "public",
			createdAt: iso(context.nowMs),
			recipientId: null,
			recipientName: null,
		});
		const { postcards } = (await context.ask("GET", "/api/postcards")).body;
		expect<unknown>(postcards).toEqual([onBoard(body.postcard)]);
	});

	test("says what makes sense now, first of all to check out", async () => {
		const answer = await post({ message });
		expectNext(answer);
		const [first] = answer.body.next;
		expect(first).toMatchObject({ method: "POST", path: "/api/checkout" });
	});

	test.each([
		{},
		{ mood: null, location: null, recipientId: null },
		{ mood: "", location: " \n" },
	])("holds what is null or empty for absent: %j", async (more) => {
		const { status, body } = await post({ message, ...more });
		expect(status).toBe(201);
		expect(body.postcard).toMatchObject({
			mood: null,
			location: null,
			visibility: "public",
		});
		expect(await context.messages("/api/postcards")).toEqual([message]);
	});

	test.each(texts)(
		"holds $field to $min and $max characters",
		async ({ field, min, max }) => {
			for (const { value, fits } of textBounds(min, max)) {
				const answer = await post({ message, [field]: value });
				if (fits) {
					expect(answer.status).toBe(201);
					expect(answer.body.postcard).toMatchObject({
						[field]: value || null,
					});
				} else {
					expectBrokenBound(answer, field);
					expect(answer.body.error).toContain(`${max} characters`);
				}
			}
			const padded = `\n ${WIDE.repeat(max)}  `;
			const { body } = await post({ message, [field]: padded });
			expect(body.postcard).toMatchObject({ [field]: WIDE.repeat(max) });
		},
	);

	test.each(texts)(
		"holds $field to texts that can be stored",
		async ({ field }) => {
			for (const value of [...unstorable, 7, false, ["a"], { a: "a" }]) {
				expectBrokenBound(await post({ message, [field]: value }), field);
			}
			expect(await context.messages("/api/postcards")).toEqual([]);
		},
	);

	test("needs a message", async () => {
		for (const none of [undefined, null, "", "  ", "\u3000\n"]) {
			const answer = await post({ message: none, mood: "mellow" });
			expectBrokenBound(answer, "message");
		}
		expect(await context.messages("/api/postcards")).toEqual([]);
	});

	test("ignores what only the resort can say", async () => {
		const { body } = await post({
			message,
			id: "mine",
			senderId: "me",
			senderName: "Somebody",
			visibility: "private",
			createdAt: "1999-01-01T00:00:00.000Z",
		});
		expect(body.postcard).toMatchObject({
			senderId: sender.id,
			senderName: "Grace",
			visibility: "public",
			createdAt: iso(context.nowMs),
		});
		expect(body.postcard.id).toMatch(UUID_V7);
		expect(await context.messages("/api/postcards")).toEqual([message]);
	});

	test("needs a stay", async () => {
		const away = await context.register();
		expectRefusal(await post({ message }, away.key), 400, "Not checked in");
		await context.checkOut(sender);
		expectRefusal(await post({ message }), 400, "Not checked in");
		expect(await context.messages("/api/postcards/mine", sender)).toEqual([]);
	});

	test("needs a stay that has not passed the longest time allowed", async () => {
		const brief = new Community({ maxStayMs: HOUR_MS });
		const { key } = await brief.guest();
		brief.advance(HOUR_MS - 1);
		await brief.send({ id: "", key });
		brief.advance(1);
		const ask = { key, body: { message } };
		const late = await brief.ask("POST", "/api/postcards", ask);
		expectRefusal(late, 400, "Not checked in");
		await brief.close();
	});

	test("takes the session cookie; nothing is 401", async () => {
		const session = await context.login(sender.key);
		const ask = { session, body: { message } };
		const { status, body } = await context.ask("POST", "/api/postcards", ask);
		expect(status).toBe(201);
		expect(body.postcard.senderId).toBe(sender.id);
		for (const sent of [{ message }, { message: "" }]) {
			const nobody = await context.ask("POST", "/api/postcards", {
				body: sent,
			});
			expectRefusal(nobody, 401, "Unauthorized");
		}
	});
});
