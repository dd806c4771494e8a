import { beforeEach, describe, expect, test } from "bun:test";
import { expectFailure, expectRefusal } from "../../support/answers.ts";
import { keyOf, useHouse } from "./house.ts";

const KEY = keyOf("user-1");
const PATH = "/api/profile-settings";

const context = useHouse({ rateLimits: true, path: "/api/auth" });
beforeEach(() => {
	context.answerWith({ iss: `${context.provider.url}/api/auth` });
});

const change = (body: object) => context.resort.call("PATCH", PATH, { key: KEY, body });

const whole = {
	identity: { name: "Juniper", bio: "Counts waves.", avatarUrl: "https://example.com/j.png" },
	app: {
		relaxationStyle: ["naps"],
		comfortObjects: ["a warm stone"],
		interests: ["moss"],
		roomPreference: "near the sea",
	},
};

describe("PATCH /api/profile-settings", () => {
	test("changes fields of `identity` and `app`, keeps omitted ones, and clears those set to null or an empty list", async () => {
		const { body } = await change(whole);
		expect(body.agent).toMatchObject({ ...whole.identity, ...whole.app });
		const cleared = await change({
			identity: { bio: null, avatarUrl: null },
			app: { roomPreference: null, interests: [] },
		});
		const { url } = context.provider;
		expect(JSON.parse(cleared.text).settings).toEqual({
			identity: { provider: url, subject: "user-1", name: "Juniper", bio: null, avatarUrl: null },
			app: { ...whole.app, roomPreference: null, interests: [] },
		});
		expect((await context.resort.me({ key: KEY })).body.agent).toEqual(cleared.body.agent);
	});

	test("returns 401 for a session in place of a key", async () => {
		const session = await context.resort.login(KEY);
		const answer = await context.resort.call("PATCH", PATH, { session, body: whole });
		expectRefusal(answer, 401, "Unauthorized");
	});

	test("shares the rate limit of PATCH /api/me", async () => {
		const body = { bio: "b" };
		for (let call = 0; call < 10; call++) {
			expect((await change(whole)).status).toBe(200);
			const { status } = await context.resort.call("PATCH", "/api/me", { key: KEY, body });
			expect(status).toBe(200);
		}
		expect((await change(whole)).status).toBe(429);
		expect((await change({})).status).toBe(400);
		const me = await context.resort.call("PATCH", "/api/me", { key: KEY, body });
		expect(me.status).toBe(429);
	});

	const none = "Body must have one of: identity, app";
	test.each<[what: string, body: object, error: string]>([
		["without fields", {}, none],
		["without `identity` and `app`", { name: "Bea" }, none],
		["whose `identity` and `app` are empty", { identity: {}, app: {} }, none],
		["with `app` fields in `identity`", { identity: { interests: ["moss"] }, app: { name: "Bea" } }, none],
		["with fields that cannot be changed", { identity: { provider: "x", subject: "x" } }, none],
		["with `identity: null`", { identity: null, app: { interests: ["moss"] } }, "identity must be an object"],
		["whose `app` is a list", { identity: { name: "Bea" }, app: [{}] }, "app must be an object"],
		["with the name null", { identity: { name: null } }, "identity.name must be a string"],
		["with a text in a list", { app: { roomPreference: ["sea"] } }, "app.roomPreference must be a string"],
	])("returns 400 for a body %s, and does not count the call for the rate limit", async (_, body, error) => {
		const answer = await change(body);
		expectFailure(answer, 400);
		expect(answer.body.error).toStartWith(error);
		if (error === none)
			expect(answer.body.hint).toStartWith("Fields of identity: name, bio, avatarUrl. Fields of app: ");
		expect(answer.headers.has("ratelimit")).toBe(false);
	});
});
