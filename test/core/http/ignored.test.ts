import { describe, expect, test } from "bun:test";
import { House } from "../../features/identity-provider/house.ts";
import { largeBody } from "../../support/bodies.ts";
import { useSharedResort } from "../../support/use-resort.ts";

const context = useSharedResort();

const checkIn = async (body: object | string) => {
	const { key } = await context.register();
	const sent =
		typeof body === "string" ? { raw: body, headers: { "content-type": "application/json" } } : { body };
	const answered = await context.ask("POST", "/api/checkin", { key, ...sent });
	expect(answered.status, answered.text).toBe(201);
	return answered.body.ignored;
};

const numbered = (count: number) => Array.from({ length: count }, (_, at) => `field ${at}`);

test.each([0, 9, 10, 11, 3_000])("of %d names 10 at most are told", async (count) => {
	const names = numbered(count);
	const body = Object.fromEntries(names.map((name) => [name, null]));
	expect<unknown>(await checkIn(body)).toEqual(count === 0 ? undefined : names.slice(0, 10));
});

test.each([
	[63, "n"],
	[64, "n"],
	[65, "n"],
	[64, "🌴"],
	[65, "🌴"],
])("a name of %d characters %s is cut to 64", async (length, character) => {
	const name = character.repeat(length);
	const told = character.repeat(Math.min(length, 64));
	expect(await checkIn({ [name]: 1 })).toEqual([told]);
});

test("names are returned as sent, also those that no string can hold", async () => {
	const names = ["__proto__", "constructor", "toString", "\0", "\ud800", "日本"];
	const fields = names.map((name) => `${JSON.stringify(name)}:1`);
	// Responses contain no control characters.
	const shown = names.map((name) => name.replace("\0", ""));
	expect(await checkIn(`{${fields.join()}}`)).toEqual(shown);
	expect(await checkIn('{"a":1,"a":2}')).toEqual(["a"]);
});

test("a failure lists none", async () => {
	const { key } = await context.register();
	for (const body of [{ moodOnDeparture: 7, note: 1 }, { note: 1 }]) {
		const refused = await context.ask("POST", "/api/checkout", { key, body });
		expect(refused.status).toBe(400);
		expect(refused.body).not.toHaveProperty("ignored");
	}
	const large = await context.ask("POST", "/api/checkin", {
		key,
		...largeBody,
	});
	expect(large.status).toBe(413);
});

describe("registration", () => {
	const register = async (body: object) => (await context.ask("POST", "/api/agents", { body })).body;

	test("lists a misspelt name in phase 1", async () => {
		const { phase, ignored } = await register({ nme: "Ada", bio: "calm" });
		expect({ phase, ignored }).toEqual({ phase: "discover", ignored: ["nme"] });
	});

	test("knows the fields of both phases in each", async () => {
		const both = { phase: "discover", name: "Ada", bio: 7, x: 1 };
		expect((await register(both)).ignored).toEqual(["x"]);
		const named = { phase: "register", name: "Ada", x: 1 };
		expect((await register(named)).ignored).toEqual(["x"]);
		expect(await register({ phase: "discover", name: "Ada" })).not.toHaveProperty("ignored");
	});
});

test("PATCH /api/profile-settings lists the fields of a group behind its name", async () => {
	await using behind = new House();
	const body = {
		identity: { name: "Ada", nme: "Ada" },
		app: { interests: ["tides"], name: "Bo" },
		settings: { name: "Cy" },
	};
	const path = "/api/profile-settings";
	const key = "ai_user-1_000000001";
	const call = behind.proxied("PATCH", path, "updateProfileSettings", {
		json: body,
	});
	for (const ask of [{ key, body }, call]) {
		const answered = await behind.resort.ask("PATCH", path, ask);
		expect(answered.status, answered.text).toBe(200);
		const told = ["identity.nme", "app.name", "settings"];
		expect(answered.body.ignored).toEqual(told);
	}
});
