/** Control characters in request bodies. For stored control characters, see test/core/resort/invisible.test.ts. */
import { describe, expect, test } from "bun:test";
import { expectRefusal } from "../../support/answers.ts";
import { fogBathing } from "../../support/community.ts";
import { toolsOf } from "../../support/mcp.ts";
import { usePeople, useSharedCommunity } from "../../support/use-resort.ts";

const context = useSharedCommunity();
const people = usePeople(context);

const CONTROLS = ["\u0001", "\b", "\v", "\f", "\u001b", "\u001f", "\u007f"];
const C1 = ["\u0080", "\u0085", "\u009b", "\u009f"];

const ask = (method: string, path: string, body: object, { key } = people.guest) =>
	context.ask(method, path, { key, body });

type Field = [method: string, path: string, field: string, body: object];

const experience = { ...fogBathing, name: "Fog" };

/** The texts of one line, and the other fields that their operation needs. */
const lines: Field[] = [
	["POST", "/api/agents", "name", {}],
	["POST", "/api/agents", "roomPreference", { name: "Ada" }],
	["PATCH", "/api/me", "name", {}],
	["PATCH", "/api/me", "avatarUrl", {}],
	["POST", "/api/checkin", "moodOnArrival", {}],
	["POST", "/api/checkout", "moodOnDeparture", {}],
	["POST", "/api/experiences", "name", experience],
	["POST", "/api/experiences", "category", experience],
	["POST", "/api/experiences", "location", experience],
	["POST", "/api/postcards", "mood", { message: "Hello" }],
	["POST", "/api/postcards", "location", { message: "Hello" }],
];

/** The texts of several lines. */
const texts: Field[] = [
	["POST", "/api/agents", "bio", { name: "Ada" }],
	["PATCH", "/api/me", "bio", {}],
	["POST", "/api/activities/tidepool-float/do", "notes", {}],
	["POST", "/api/experiences", "description", experience],
	["POST", "/api/postcards", "message", {}],
];

describe.each([...lines, ...texts])("%s %s: %s", (method, path, field, body) => {
	test.each([...CONTROLS, ...C1])("refuses %j", async (control) => {
		const sent = { ...body, [field]: `https://calm.test/${control}sea` };
		const refused = await ask(method, path, sent);
		const error = `${field} must not contain control characters`;
		expectRefusal(refused, 400, error);
		expect(refused.body.field).toBe(field);
	});

	test("refuses a carriage return without a line feed", async () => {
		const sent = { ...body, [field]: "https://calm.test/\rsea" };
		expect((await ask(method, path, sent)).body.error).toStartWith(
			`${field} must not contain control characters`,
		);
	});
});

test.each(lines)("%s %s refuses line breaks and tabs in %s", async (method, path, field, body) => {
	for (const space of ["\n", "\r\n", "\t"]) {
		const sent = { ...body, [field]: `https://calm.test/${space}sea` };
		const refused = await ask(method, path, sent);
		expectRefusal(refused, 400, `${field} must be one line`);
	}
});

test("PATCH /api/me refuses control characters and line breaks in items of lists", async () => {
	for (const interests of [["tides\u001b[31m"], ["tides\nand naps"]]) {
		const refused = await ask("PATCH", "/api/me", { interests });
		expect(refused.status).toBe(400);
		expect(refused.body.field).toBe("interests");
	}
});

test.each(texts)("%s %s accepts line breaks and tabs in %s", async (method, path, field, body) => {
	const text = "A first line,\n\ta second one,\r\n\r\nand a last one.";
	const answered = await ask(method, path, { ...body, [field]: text });
	expect(answered.status, answered.text).toBeLessThan(300);
	expect(answered.text).toContain(JSON.stringify(text));
});

test("a review may contain line breaks, but no control characters", async () => {
	const path = `/api/experiences/${people.experience}/vote`;
	const kept = await ask("POST", path, { rating: 4, review: "calm\r\n\tsea" });
	expect(kept.body.vote.review).toBe("calm\r\n\tsea");
	const refused = await ask("POST", path, { rating: 4, review: "calm\u009b" });
	expectRefusal(refused, 400, "review must not contain control characters");
});

test("the tool send_postcard refuses control characters", async () => {
	const use = toolsOf(context, { key: people.guest.key });
	const { body } = await use("send_postcard", { message: "calm\u001b[2J" });
	expect(body.error).toBe("message must not contain control characters");
});

test("a text with backslashes and escape sequences is returned unchanged", async () => {
	const message = String.raw`\u001b \\u0007 \b \r \f \\\u009b "\\b"`;
	const sent = await ask("POST", "/api/postcards", { message });
	expect(sent.body.postcard.message).toBe(message);
	const { postcards } = (await context.ask("GET", "/api/postcards")).body;
	expect(postcards[0]?.message).toBe(message);
	const feed = JSON.parse((await context.ask("GET", "/feed.json")).text);
	expect(JSON.stringify(feed)).toContain(JSON.stringify(message));
	const { events } = (await context.ask("GET", "/api/events?since=0")).body;
	expect(events.at(-1)?.postcard?.message).toBe(message);
});
