import { beforeEach, describe, expect, test } from "bun:test";
import { NOTICE } from "../../../src/content/notice.ts";
import { communityFields, onBoard } from "../../support/community.ts";
import type { Registered } from "../../support/resort.ts";
import { useCommunity, useGuest } from "../../support/use-resort.ts";
import { iso, namesOf } from "../../support/values.ts";

const BOARD = "/api/postcards";
const INBOX = "/api/postcards/inbox";
const paths = [BOARD, "/api/postcards/mine", INBOX];

const context = useCommunity();
const sender = useGuest(context, { name: "Grace" });

describe.each(paths)("GET %s", (path) => {
	let reader: Registered;
	beforeEach(async () => {
		reader = path.endsWith("/inbox") ? await context.register() : sender;
	});

	/** Sends a postcard that is in this list. */
	const send = (message: string) => {
		const recipientId = reader === sender ? null : reader.id;
		return context.send(sender, { message, recipientId });
	};
	const list = () => context.ask("GET", path, reader);

	test("is an empty list at first", async () => {
		const { status, text } = await list();
		expect(status).toBe(200);
		expect(JSON.parse(text)).toEqual({
			ok: true,
			...(path === INBOX && { notice: NOTICE }),
			postcards: [],
			...(path !== BOARD && { total: 0 }),
		});
	});

	test("shows postcards newest first, with the contract's fields", async () => {
		const first = await send("first");
		context.advance(1);
		// Of one moment the later is the newer.
		const sent = [first, await send("second"), await send("third")];
		const { postcards } = (await list()).body;
		const shown = {
			[BOARD]: onBoard,
			[INBOX]: (postcard: object) => ({ ...postcard, answeredAt: null }),
		}[path];
		const expected = sent.toReversed().map((one) => shown?.(one) ?? one);
		expect<unknown>(postcards).toEqual(expected);
		expect(postcards.map(({ createdAt }) => createdAt)).toEqual([
			iso(context.nowMs),
			iso(context.nowMs),
			iso(context.nowMs - 1),
		]);
		expect(namesOf(first)).toBe(communityFields.ownPostcard);
	});
});

test("the board shows 20 postcards without a limit, and up to 100", async () => {
	const numbers = Array.from({ length: 121 }, (_, at) => `#${at}`);
	for (const message of numbers) await context.send(sender, { message });
	const newest = numbers.toReversed();
	const shown = (query: string) => context.messages(`${BOARD}${query}`);
	expect(await shown("")).toEqual(newest.slice(0, 20));
	expect(await shown("?limit=100")).toEqual(newest.slice(0, 100));
	expect(await shown("?offset=115")).toEqual(newest.slice(115));
	expect(await shown("?offset=5")).toEqual(newest.slice(5, 25));
});
