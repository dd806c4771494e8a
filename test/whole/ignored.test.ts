/** Tests of the response field `ignored`, which lists the unknown fields of the request's body. */
import { expect, test } from "bun:test";
import { House } from "../features/identity-provider/house.ts";
import { useResort } from "../support/use-resort.ts";

const context = useResort({ shared: true });

const checkIn = async (raw: string) => {
	const { key } = await context.register();
	const headers = { "content-type": "application/json" };
	const answered = await context.call("POST", "/api/checkin", { key, raw, headers });
	expect(answered.status, answered.text).toBe(201);
	return answered.body.ignored;
};

test.each([0, 9, 10, 11, 3_000])("`ignored` lists at most 10 of %d unknown names", async (count) => {
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
])(
	"`ignored` contains at most 64 characters of a name that consists of %d times %p",
	async (length, character) => {
		const name = character.repeat(length);
		expect(await checkIn(JSON.stringify({ [name]: 1 }))).toEqual([character.repeat(64)]);
	},
);

test("`ignored` lists names as they were sent, but without control characters", async () => {
	const names = ["__proto__", "constructor", "toString", "\0", "\ud800", "日本"];
	const fields = names.map((name) => `${JSON.stringify(name)}:1`);
	expect(await checkIn(`{${fields.join()}}`)).toEqual(names.map((name) => name.replace("\0", "")));
	expect(await checkIn('{"a":1,"a":2}')).toEqual(["a"]);
});

test.each<[body: object, phase: string, ignored: unknown]>([
	[{ nme: "Ada", bio: "calm" }, "discover", ["nme"]],
	[{ phase: "discover", name: "Ada", bio: 7, x: 1 }, "discover", ["x"]],
	[{ phase: "register", name: "Ada", x: 1 }, "register", ["x"]],
	[{ phase: "discover", name: "Ada" }, "discover", undefined],
])(
	"POST /api/agents with the body %j runs the phase %p, and `ignored` in the response is %p",
	async (body, phase, ignored) => {
		const registered = (await context.call("POST", "/api/agents", { body })).body;
		expect<unknown>([registered.phase ?? "register", registered.ignored]).toEqual([phase, ignored]);
	},
);

test("for PATCH /api/profile-settings, `ignored` lists the unknown fields in a group with the name of the group", async () => {
	await using behind = new House();
	const body = {
		identity: { name: "Ada", nme: "Ada" },
		app: { interests: ["tides"], name: "Bo" },
		settings: { name: "Cy" },
	};
	const path = "/api/profile-settings";
	const call = behind.proxied("PATCH", path, "updateProfileSettings", { json: body });
	for (const ask of [{ key: "ai_user-1_000000001", body }, call]) {
		const answered = await behind.resort.call("PATCH", path, ask);
		expect(answered.status, answered.text).toBe(200);
		expect(answered.body.ignored).toEqual(["identity.nme", "app.name", "settings"]);
	}
});
