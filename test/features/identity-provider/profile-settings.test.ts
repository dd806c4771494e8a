import { beforeEach, describe, expect, test } from "bun:test";
import { expectBrokenBound, expectRefusal } from "../../support/answers.ts";
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
	test("changes both groups of fields: identity and app", async () => {
		const { status, body, text } = await change(whole);
		expect(status).toBe(200);
		expect(body.agent).toMatchObject({ ...whole.identity, ...whole.app });
		expect(JSON.parse(text)).toEqual({
			ok: true,
			agent: body.agent,
			settings: {
				identity: { provider: context.provider.url, subject: "user-1", ...whole.identity },
				app: whole.app,
			},
		});
		const me = await context.resort.me({ key: KEY });
		expect(me.body.agent).toEqual(body.agent);
	});

	test("keeps omitted fields, and clears fields with null", async () => {
		await change(whole);
		const { text } = await change({
			identity: { bio: null, avatarUrl: null },
			app: { roomPreference: null, interests: [] },
		});
		expect(JSON.parse(text).settings).toMatchObject({
			identity: { name: "Juniper", bio: null, avatarUrl: null },
			app: { ...whole.app, roomPreference: null, interests: [] },
		});
	});

	test("returns 401 with a session, with an invalid key and without a credential", async () => {
		const session = await context.resort.login(KEY);
		for (const ask of [{ session }, {}, { key: "ar_x" }]) {
			const answer = await context.resort.call("PATCH", PATH, { ...ask, body: whole });
			expectRefusal(answer, 401, "Unauthorized");
		}
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

	test.each<[what: object]>([
		[{}],
		[{ name: "Bea" }],
		[{ identity: {}, app: {} }],
		[{ identity: { interests: ["moss"] }, app: { name: "Bea" } }],
		[{ identity: { provider: "x", subject: "x" } }],
	])("returns 400 for the body %j, which changes nothing, and does not count the call", async (body) => {
		const answer = await change(body);
		expectRefusal(answer, 400, "Body must have one of: identity, app");
		expect(answer.headers.has("ratelimit")).toBe(false);
	});

	test.each([[null], [[]], [[{}]], ["x"], [7], [true]])(
		"returns 400 if one group is %j, even if the other group is valid",
		async (group) => {
			for (const name of ["identity", "app"]) {
				expectBrokenBound(await change({ ...whole, [name]: group }), name);
			}
		},
	);

	test.each<[group: string, field: string, value: unknown]>([
		["identity", "name", null],
		["identity", "avatarUrl", `https://example.com/${"a".repeat(481)}`],
		["app", "roomPreference", ["sea"]],
	])("returns 400 if the field %s.%s is %j", async (group, field, value) => {
		const answer = await change({ [group]: { [field]: value } });
		expectBrokenBound(answer, `${group}.${field}`);
		expect(answer.headers.has("ratelimit")).toBe(false);
	});
});
