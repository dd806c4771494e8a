/** Tests of names of parameters and fields that an operation does not have. */
import { describe, expect, test } from "bun:test";
import { House } from "../features/identity-provider/house.ts";
import { toLoopback } from "../features/webhooks/receiver.ts";
import { expectRefusal } from "../support/answers.ts";
import type { CallOptions } from "../support/calls.ts";
import { useGuest, useResort } from "../support/use-resort.ts";
import { fogBathing, NOBODY } from "../support/values.ts";

const context = useResort({ webhooks: toLoopback });
const guest = useGuest(context);

const post = (path: string, body: object | string) =>
	context.call("POST", path, {
		key: guest.key,
		...(typeof body === "string" ? { raw: body, headers: { "content-type": "application/json" } } : { body }),
	});

describe("an unknown query parameter", () => {
	test.each([
		["/api/events?type=agent.available", "type", "Did you mean types?"],
		["/api/events?Types=agent.available", "Types", "Did you mean types?"],
		["/api/agents/status?agent_ids=x&ids=x", "agent_ids", "Valid parameters: "],
		["/api/experiences?creator_id=me", "creator_id", "Did you mean creatorId?"],
		["/api/experiences?creatorId=me&creator=x", "creator", "Did you mean creatorId?"],
		["/api/lobby?limits=1", "limits", "Did you mean limit?"],
		["/api/me/overview?Since=x", "Since", "Did you mean since?"],
	])("in %s is refused with 400: %p is unknown, and the hint begins with %p", async (path, name, begin) => {
		for (const method of ["GET", "HEAD"]) {
			const refused = await context.call(method, path, { key: guest.key });
			expect(refused.status).toBe(400);
			if (method === "HEAD") continue;
			const { error, hint } = refused.body;
			expect(error).toBe(`Unknown parameter ${name}`);
			expect(hint).toStartWith(begin);
		}
	});

	test("is checked after the credential and before the resource", async () => {
		const path = `/api/experiences/exp-${NOBODY}?x=1`;
		expectRefusal(await context.call("DELETE", path), 401, "Unauthorized");
		const known = await context.call("DELETE", path, { key: guest.key });
		expectRefusal(known, 400, "Unknown parameter x");
	});

	test("is refused although the response to the call without it is cached", async () => {
		const path = `/api/agents/${guest.id}/status`;
		for (const _ of [1, 2, 3]) {
			expect((await context.call("GET", path)).status).toBe(200);
			expect((await context.call("GET", `${path}?x=1`)).status).toBe(400);
			expect((await context.call("GET", `${path}?_=1`)).status).toBe(200);
		}
	});
});

test("cache busters add no entries to the cache", async () => {
	await context.call("GET", "/api/lobby");
	const before = context.cache.size;
	for (let at = 0; at < 50; at++) {
		const read = await context.call("GET", `/api/lobby?_=${at}&utm_source=${at}`);
		expect(read.status).toBe(200);
	}
	expect(context.cache.size).toBe(before);
});

const url = "https://receiver.test/";

test.each([
	["/api/postcards", { message: "Hello", recipient_id: NOBODY }, "recipientId"],
	["/api/postcards", { message: "Hello", RecipientID: NOBODY }, "recipientId"],
	["/api/postcards", { message: "Hello", to: NOBODY }, null],
	["/api/postcards", `{"message":"Hello","__proto__":{"recipientId":1}}`, null],
	["/api/postcards", { message: "Hello", constructor: 1 }, null],
	["/api/postcards", { mesage: "Hello" }, "message"],
	["/api/webhooks", { url, agentIDs: [NOBODY] }, "agentIds"],
	["/api/webhooks", { url, type: ["agent.gone"] }, "types"],
	["/api/webhooks", { url, secret: "x" }, null],
])("POST %s refuses with 400 the unknown field in %j", async (path, body, near) => {
	const refused = await post(path, body);
	expect(refused.status).toBe(400);
	expect(refused.body.error).toStartWith("Unknown field ");
	expect(refused.body.hint).toStartWith(near === null ? "Valid fields: " : `Did you mean ${near}?`);
	expect((await context.call("GET", "/api/postcards")).body.postcards).toBeEmpty();
});

describe("an operation that ignores unknown fields", () => {
	test.each([
		["POST", "/api/agents", { Name: "Ada" }, "name"],
		["POST", "/api/agents", { phas: "discover" }, "phase"],
		["POST", "/api/agents", { name: "Ada", invite_code: "x" }, "inviteCode"],
		["PATCH", "/api/me", { intrests: ["tides"] }, "interests"],
		["PATCH", "/api/me", { bio: "calm", "Avatar-Url": null }, "avatarUrl"],
		["POST", "/api/checkout", { mood_on_departure: "x" }, "moodOnDeparture"],
		["POST", "/api/activities/tidepool-float/do", { note: "x" }, "notes"],
		["POST", "/api/experiences", { ...fogBathing, Categorie: "x" }, "category"],
	])("refuses a misspelt field: %s %s with %j", async (method, path, body, near) => {
		const refused = await context.call(method, path, { key: guest.key, body });
		expect(refused.status, refused.text).toBe(400);
		expect(refused.body.error).toStartWith("Unknown field ");
		expect(refused.body.hint).toBe(`Did you mean ${near}?`);
	});

	test("refuses a misspelt field in a group, and names the group in the error", async () => {
		await using house = new House();
		const refused = await house.resort.call("PATCH", "/api/profile-settings", {
			key: "ai_user-1_000000001",
			body: { identity: { avatar_url: "https://a.test/" } },
		});
		expectRefusal(refused, 400, "Unknown field identity.avatar_url");
		expect(refused.body.hint).toBe("Did you mean identity.avatarUrl?");
	});

	test.each([
		["POST", "/api/agents", { nme: "Ada" }, "nme"],
		["POST", "/api/activities/tidepool-float/do", { n: "x" }, "n"],
		["POST", "/api/activities/tidepool-float/do", { remarks: "x" }, "remarks"],
	])(
		"accepts a field that resembles no known field, and lists it in `ignored`: %s %s with %j",
		async (method, path, body, name) => {
			const answered = await context.call(method, path, { key: guest.key, body });
			expect(answered.status, answered.text).toBeLessThan(300);
			expect(answered.body.ignored).toEqual([name]);
		},
	);
});

describe("the name of a property that every object has", () => {
	const raw = (text: string): CallOptions => ({
		key: guest.key,
		raw: text,
		headers: { "content-type": "application/json" },
	});

	test.each(["__proto__", "constructor", "toString", "hasOwnProperty"])(
		"is an unknown field: PATCH /api/me with only the field %s returns 400",
		async (name) => {
			for (const value of ['{"bio":"x"}', "1", "null"]) {
				const body = `{${JSON.stringify(name)}:${value}}`;
				const refused = await context.call("PATCH", "/api/me", raw(body));
				expect(refused.status, refused.text).toBe(400);
				expect(refused.body.error).toStartWith("Body must have one of: ");
			}
			expect((await context.me({ key: guest.key })).body.agent.bio).toBeNull();
		},
	);
});
