import { beforeEach, describe, expect, test } from "bun:test";
import { iso, namesOf } from "../../support/answers.ts";
import { communityFields, onBoard } from "../../support/community.ts";
import type { Registered } from "../../support/resort.ts";
import { useCommunity, useGuest } from "../../support/use-resort.ts";

const paths = ["/api/postcards", "/api/postcards/mine", "/api/postcards/inbox"];

describe.each(paths)("GET %s", (path) => {
	const context = useCommunity();
	const sender = useGuest(context, { name: "Grace" });
	let reader: Registered;
	beforeEach(async () => {
		reader = path.endsWith("/inbox") ? await context.register() : sender;
	});

	/** Sends a postcard that is in this list. */
	const send = (message: string) => {
		const recipientId = reader === sender ? null : reader.id;
		return context.send(sender, { message, recipientId });
	};
	const list = (query = "") => context.ask("GET", `${path}${query}`, reader);

	test("is an empty list at first", async () => {
		const { status, body } = await list();
		expect(status).toBe(200);
		const total = path === "/api/postcards" ? "" : " total";
		expect(namesOf(body)).toBe(`ok postcards${total}`);
		expect(body).toMatchObject({ ok: true, postcards: [] });
	});

	test("shows postcards newest first, with the contract's fields", async () => {
		const first = await send("first");
		context.advance(1);
		// Of one moment the later is the newer.
		const sent = [first, await send("second"), await send("third")];
		const { postcards } = (await list()).body;
		const isBoard = path === "/api/postcards";
		const expected = sent.toReversed();
		expect<unknown>(postcards).toEqual(
			isBoard ? expected.map(onBoard) : expected,
		);
		expect(postcards.map(({ createdAt }) => createdAt)).toEqual([
			iso(context.nowMs),
			iso(context.nowMs),
			iso(context.nowMs - 1),
		]);
		for (const postcard of postcards) {
			expect(namesOf(postcard)).toBe(
				communityFields[isBoard ? "postcard" : "ownPostcard"],
			);
		}
	});

	test("keeps what was sent in stays that are over", async () => {
		await send("in the first stay");
		await context.checkOut(sender);
		context.advance(1);
		await context.ask("POST", "/api/checkin", sender);
		await send("in the second stay");
		await context.checkOut(sender);
		expect(await context.messages(path, reader)).toEqual([
			"in the second stay",
			"in the first stay",
		]);
	});

	test(
		path === "/api/postcards" ? "shows 20 unless told" : "is whole unless told",
		async () => {
			const numbers = Array.from({ length: 121 }, (_, at) => `#${at}`);
			for (const number of numbers) await send(number);
			const newest = numbers.toReversed();
			const usual = path === "/api/postcards" ? 20 : 121;
			expect(await context.messages(path, reader)).toEqual(
				newest.slice(0, usual),
			);
			const shown = async (query: string) =>
				context.messages(`${path}?${query}`, reader);
			expect(await shown("limit=100")).toEqual(newest.slice(0, 100));
			expect(await shown("offset=115")).toEqual(newest.slice(115));
			expect(await shown("limit=3&offset=50")).toEqual(newest.slice(50, 53));
			expect(await shown("offset=5")).toEqual(newest.slice(5, 5 + usual));
		},
	);
});
