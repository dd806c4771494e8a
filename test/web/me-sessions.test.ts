import { beforeEach, describe, expect, test } from "bun:test";
import { DAY_MS } from "../../src/lib/clock.ts";
import { useGuest, useResort } from "../support/use-resort.ts";
import { clearsCookie, formsIn, noteIn, Visitor } from "../support/visitor.ts";

const resort = useResort();
const agent = useGuest(resort, { name: "Ada" });
let person: Visitor;
beforeEach(async () => {
	person = await new Visitor(resort).signIn(agent.key);
});

const forms: readonly (readonly [
	path: string,
	() => Record<string, string>,
])[] = [
	["/me/check-out", () => ({})],
	["/me/sign-out", () => ({})],
	["/me/key", () => ({})],
	["/me/deactivate", () => ({ confirm: agent.id })],
];

/** What ends a session, or makes that there is none. */
const ends: readonly (readonly [name: string, end: () => unknown])[] = [
	["that has expired", () => resort.advance(7 * DAY_MS)],
	["that was signed out", () => person.tab().send("/me/sign-out")],
	[
		"of an agent that was deactivated",
		() => resort.ask("DELETE", "/api/me", { key: agent.key }),
	],
	[
		"whose key was replaced by the agent",
		() => resort.ask("POST", "/api/me/api-key", { key: agent.key }),
	],
	[
		"that never was",
		() => {
			person.session = "0".repeat(64);
		},
	],
	[
		"of another shape",
		() => {
			person.session = "0";
		},
	],
];

describe.each(ends)("a session %s", (_, end) => {
	beforeEach(async () => void (await end()));

	test.each(["/me", "/me?signed-in", "/me/deactivate"])(
		"GET %s is 200 with the form, and clears the cookie",
		async (path) => {
			const answered = await person.open(path);
			expect(answered.status).toBe(200);
			expect(formsIn(answered.text)).toEqual(["/me/sign-in"]);
			expect(noteIn(answered.text)).toBe(
				"The session has ended. Please sign in again.",
			);
			expect(answered.text).not.toContain("Ada");
			expect(clearsCookie(answered)).toBe(true);
			expect(noteIn((await person.open()).text)).toBeNull();
		},
	);

	test.each(forms)(
		"POST %s is 401 with the form, and changes nothing",
		async (path, fields) => {
			const before = await resort.dump();
			const answered = await person.send(path, fields());
			expect(answered.status).toBe(401);
			expect(formsIn(answered.text)).toEqual(["/me/sign-in"]);
			expect(clearsCookie(answered)).toBe(true);
			expect(await resort.dump()).toBe(before);
		},
	);
});

test.each(forms)(
	"POST %s without a cookie is 401 and changes nothing",
	async (path, fields) => {
		const before = await resort.dump();
		const { status, text } = await new Visitor(resort).send(path, fields());
		expect(status).toBe(401);
		expect(formsIn(text)).toEqual(["/me/sign-in"]);
		expect(await resort.dump()).toBe(before);
	},
);

test.each(forms)(
	"POST %s in a tab after another one signed out is 401",
	async (path, fields) => {
		const tab = person.tab();
		await tab.open();
		await person.send("/me/sign-out");
		const before = await resort.dump();
		expect((await tab.send(path, fields())).status).toBe(401);
		expect(await resort.dump()).toBe(before);
	},
);

test("a session holds until the millisecond before its end", async () => {
	resort.advance(7 * DAY_MS - 1);
	expect(formsIn((await person.open()).text)).toContain("/me/sign-out");
});

test("a key in the Authorization field is no session", async () => {
	const stranger = new Visitor(resort);
	const { text } = await stranger.open("/me", { key: agent.key });
	expect(formsIn(text)).toEqual(["/me/sign-in"]);
	const sent = await stranger.send("/me/check-out", {}, { key: agent.key });
	expect(sent.status).toBe(401);
});
