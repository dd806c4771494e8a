/** Tests calls with parameters and fields that the operation does not have. */
import { describe, expect, test } from "bun:test";
import { useHouse } from "../features/identity-provider/house.ts";
import { toLoopback } from "../features/webhooks/receiver.ts";
import { expectRefusal } from "../support/answers.ts";
import { useGuest, useResort } from "../support/use-resort.ts";
import { fogBathing, NOBODY } from "../support/values.ts";

const context = useResort({ webhooks: toLoopback });
const guest = useGuest(context);

const call = (method: string, path: string, body: object | string) =>
	context.call(method, path, {
		key: guest.key,
		...(typeof body === "string" ? { raw: body, headers: { "content-type": "application/json" } } : { body }),
	});

describe("an unknown query parameter", () => {
	test.each([
		["Types", "Did you mean types?", "/api/events?Types=agent.available"],
		["agent_ids", "Valid parameters: ", "/api/agents/status?agent_ids=x&ids=x"],
		["creator", "Did you mean creatorId?", "/api/experiences?creatorId=me&creator=x"],
	])("is refused with 400: for `%s`, the hint begins with %p", async (name, begin, path) => {
		const refused = await context.call("GET", path, { key: guest.key });
		expectRefusal(refused, 400, `Unknown parameter ${name}`);
		expect(refused.body.hint).toStartWith(begin);
		expect((await context.call("HEAD", path, { key: guest.key })).status).toBe(400);
	});

	test("is refused even if the response to the call without the parameter is cached", async () => {
		const path = `/api/agents/${guest.id}/status`;
		for (const _ of [1, 2, 3]) {
			expect((await context.call("GET", path)).status).toBe(200);
			expect((await context.call("GET", `${path}?x=1`)).status).toBe(400);
			expect((await context.call("GET", `${path}?_=1`)).status).toBe(200);
		}
	});
});

test("cache busters in a query (`_` and `utm_source`) add no entries to the cache of the resort", async () => {
	await context.call("GET", "/api/postcards");
	const before = context.cache.size;
	for (let at = 0; at < 50; at++) {
		const read = await context.call("GET", `/api/postcards?_=${at}&utm_source=${at}`);
		expect(read.status).toBe(200);
	}
	expect(context.cache.size).toBe(before);
});

const url = "https://receiver.test/";

test.each([
	["/api/postcards", "RecipientID", { message: "Hello", RecipientID: NOBODY }, "recipientId"],
	["/api/postcards", "to", { message: "Hello", to: NOBODY }, null],
	["/api/postcards", "__proto__", `{"message":"Hello","__proto__":{"recipientId":1}}`, null],
	["/api/postcards", "constructor", { message: "Hello", constructor: 1 }, null],
	["/api/postcards", "mesage", { mesage: "Hello" }, "message"],
	["/api/webhooks", "type", { url, type: ["agent.gone"] }, "types"],
])("POST %s refuses the unknown field `%s` with 400", async (path, _, body, near) => {
	const refused = await call("POST", path, body);
	expect(refused.status).toBe(400);
	expect(refused.body.error).toStartWith("Unknown field ");
	expect(refused.body.hint).toStartWith(near === null ? "Valid fields: " : `Did you mean ${near}?`);
	expect((await context.call("GET", "/api/postcards")).body.postcards).toBeEmpty();
});

describe("an operation that ignores unknown fields", () => {
	test.each([
		["POST", "/api/agents", "phas", "phase", { phas: "discover" }],
		["POST", "/api/agents", "invite_code", "inviteCode", { name: "Ada", invite_code: "x" }],
		["PATCH", "/api/me", "Avatar-Url", "avatarUrl", { bio: "calm", "Avatar-Url": null }],
		["POST", "/api/activities/tidepool-float/do", "note", "notes", { note: "x" }],
		["POST", "/api/experiences", "Categorie", "category", { ...fogBathing, Categorie: "x" }],
	])("refuses a misspelling: %s %s with `%s` for the field `%s`", async (method, path, _, near, body) => {
		const refused = await call(method, path, body);
		expect(refused.status, refused.text).toBe(400);
		expect(refused.body.error).toStartWith("Unknown field ");
		expect(refused.body.hint).toBe(`Did you mean ${near}?`);
	});

	test.each(["__proto__", "constructor", "toString"])(
		"refuses a body whose only field is `%s`, a name that every JavaScript object inherits",
		async (name) => {
			const refused = await call("PATCH", "/api/me", `{"${name}":{"bio":"x"}}`);
			expect(refused.status, refused.text).toBe(400);
			expect(refused.body.error).toStartWith("Body must have one of: ");
			expect((await context.me({ key: guest.key })).body.agent.bio).toBeNull();
		},
	);
});

describe("the response field `ignored`", () => {
	const checkIn = async (raw: string) => {
		const { key } = await context.register();
		const headers = { "content-type": "application/json" };
		return (await context.send("POST", "/api/checkin", { key, raw, headers })).ignored;
	};

	test.each([0, 9, 10, 11, 3_000])("lists at most 10 unknown fields (sent: %d)", async (count) => {
		const names = Array.from({ length: count }, (_, at) => `field ${at}`);
		const body = Object.fromEntries(names.map((name) => [name, null]));
		const ignored = await checkIn(JSON.stringify(body));
		expect<unknown>(ignored).toEqual(count === 0 ? undefined : names.slice(0, 10));
	});

	test.each([
		[64, "n"],
		[65, "n"],
		[64, "🌴"],
		[65, "🌴"],
	])("contains at most 64 characters of a name (sent: %d times %p)", async (length, character) => {
		const name = character.repeat(length);
		expect(await checkIn(JSON.stringify({ [name]: 1 }))).toEqual([character.repeat(64)]);
	});

	test("lists each name once, as it was sent, but without control characters", async () => {
		const names = ["__proto__", "constructor", "toString", "\0", "\ud800", "日本"];
		const fields = names.map((name) => `${JSON.stringify(name)}:1`);
		expect(await checkIn(`{${fields.join()}}`)).toEqual(names.map((name) => name.replace("\0", "")));
		expect(await checkIn('{"a":1,"a":2}')).toEqual(["a"]);
	});

	test.each<[words: string, body: object, phase: string, ignored: unknown]>([
		["discover, because `nme` is sent for `name`", { nme: "Ada", bio: "calm" }, "discover", ["nme"]],
		["discover, with an invalid bio", { phase: "discover", name: "Ada", bio: 7, x: 1 }, "discover", ["x"]],
		["register", { phase: "register", name: "Ada", x: 1 }, "register", ["x"]],
		["discover, without unknown fields", { phase: "discover", name: "Ada" }, "discover", undefined],
	])("lists the unknown fields of POST /api/agents (phase: %s)", async (_, body, phase, ignored) => {
		const registered = await context.send("POST", "/api/agents", { body });
		expect<unknown>([registered.phase ?? "register", registered.ignored]).toEqual([phase, ignored]);
	});
});

describe("an unknown field in a nested object of PATCH /api/profile-settings", () => {
	const house = useHouse();
	const path = "/api/profile-settings";
	const key = "ai_user-1_000000001";

	test("is refused if it is a misspelt known field; the error has its path, `identity.avatar_url`", async () => {
		const body = { identity: { avatar_url: "https://a.test/" } };
		const refused = await house.resort.call("PATCH", path, { key, body });
		expectRefusal(refused, 400, "Unknown field identity.avatar_url");
		expect(refused.body.hint).toBe("Did you mean identity.avatarUrl?");
	});

	test("is listed in `ignored` with its path, for example `identity.nme`", async () => {
		const body = {
			identity: { name: "Ada", nme: "Ada" },
			app: { interests: ["tides"], name: "Bo" },
			settings: { name: "Cy" },
		};
		for (const ask of [
			{ key, body },
			house.proxied("PATCH", path, "updateProfileSettings", { json: body }),
		]) {
			const { ignored } = await house.resort.send("PATCH", path, ask);
			expect(ignored).toEqual(["identity.nme", "app.name", "settings"]);
		}
	});
});
