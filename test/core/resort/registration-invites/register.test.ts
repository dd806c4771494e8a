import { describe, expect, test } from "bun:test";
import { DAY_MS } from "../../../../src/core/lib/clock.ts";
import { systemRandom } from "../../../../src/core/lib/random.ts";
import { TestResort } from "../../../support/resort.ts";
import { useResort } from "../../../support/use-resort.ts";

const context = useResort({ registration: "invite" });

const invite = async (terms: object = {}, resort = context) =>
	(await resort.byHost("/invites", terms)) as unknown as {
		code: string;
		invite: { label: string; uses: number; used: number };
	};
const register = (inviteCode?: unknown, resort = context) =>
	resort.ask("POST", "/api/agents", { body: { name: "Ada", inviteCode } });
const invites = async (resort = context) =>
	(
		(await resort.host("GET", "/invites")).body as unknown as {
			invites: { label: string; uses: number; used: number }[];
		}
	).invites;

describe("POST /api/agents by invitation", () => {
	test("needs a code, and says which field", async () => {
		for (const missing of [undefined, null, "", "  "]) {
			const { status, body } = await register(missing);
			expect({ status, error: body.error, field: body.field }).toEqual({
				status: 400,
				error: "inviteCode is required",
				field: "inviteCode",
			});
			expect(body.hint).toContain("resort's host");
		}
		expect(await context.rows("select id from agents")).toEqual([]);
	});

	test("takes a code as it was read aloud or copied, once", async () => {
		const spellings: ((code: string) => string)[] = [
			(code) => code,
			(code) => code.toUpperCase(),
			(code) => ` ${code.replaceAll("-", " ")} `,
			(code) => code.replaceAll("-", "  _ "),
		];
		for (const spell of spellings) {
			const { code } = await invite();
			expect((await register(spell(code))).status).toBe(201);
			expect((await register(code)).status).toBe(403);
		}
	});

	test("refuses what is wrong, used up, over and revoked in one text", async () => {
		const used = (await invite()).code;
		await register(used);
		const revoked = (await invite()).code;
		await context.byHost("/invites/revoke", { code: revoked });
		const over = (await invite({ days: 1 })).code;
		const short = (await invite()).invite.label;
		context.advance(DAY_MS);
		const wrong = "lusab-babad-gutih-tugad-fidod";
		const refusals: object[] = [];
		for (const code of [used, revoked, over, short, wrong]) {
			const { status, body } = await register(code);
			refusals.push({ status, body });
		}
		const [first = {}] = refusals;
		expect(refusals).toEqual(refusals.map(() => first));
		expect(first).toMatchObject({ status: 403, body: { error: "The invitation is not valid" } });
	});

	test("holds until the last moment, for as many as it says", async () => {
		const { code } = await invite({ uses: 2, days: 2 });
		context.advance(2 * DAY_MS - 1);
		const statuses = [];
		for (let at = 0; at < 3; at++) statuses.push((await register(code)).status);
		expect(statuses).toEqual([201, 201, 403]);
		expect(await invites()).toMatchObject([{ uses: 2, used: 2 }]);
	});

	test("does not use up a code for a registration that is refused", async () => {
		const { code } = await invite();
		const body = { name: "A", inviteCode: code };
		expect((await context.ask("POST", "/api/agents", { body })).status).toBe(400);
		expect((await register(code)).status).toBe(201);
	});

	test("lets one of 50 in who come at once with one use", async () => {
		const { code } = await invite();
		const answers = await Promise.all(Array.from({ length: 50 }, () => register(code)));
		const statuses = answers.map(({ status }) => status).sort();
		expect(statuses).toEqual([201, ...Array<number>(49).fill(403)]);
		expect(await context.rows("select id from agents")).toHaveLength(1);
	});

	test("keeps no code, and not who came by it", async () => {
		const { code } = await invite({ uses: 2 });
		await register(code);
		expect(await context.holds(code)).toBe(false);
		expect(await context.holds(code.split("-").slice(1).join("-"))).toBe(false);
	});
});

test("a closed resort takes nobody, with a code or without, and gives ideas", async () => {
	await using resort = new TestResort({ registration: "closed" });
	const { code } = await invite({}, resort);
	for (const given of [undefined, code]) {
		const { status, body } = await register(given, resort);
		expect({ status, error: body.error }).toEqual({ status: 403, error: "Registration is closed" });
	}
	const ideas = await resort.ask("POST", "/api/agents", { body: { phase: "discover" } });
	expect(ideas.status).toBe(200);
});

test("an open resort takes everybody, and uses up no code", async () => {
	await using resort = new TestResort();
	const { code } = await invite({}, resort);
	for (const given of [undefined, code, "wrong"]) {
		expect((await register(given, resort)).status).toBe(201);
	}
	expect(await invites(resort)).toMatchObject([{ used: 0 }]);
});

test("a code encodes random bytes as proquints", async () => {
	// The examples of https://arxiv.org/abs/0901.4016.
	const bytes = Uint8Array.of(127, 0, 0, 1, 63, 84, 220, 193, 140, 98);
	const random = { ...systemRandom, bytes: (count: number) => bytes.slice(bytes.length - count) };
	await using resort = new TestResort({ random });
	const { code } = await invite({}, resort);
	expect(code).toBe("lusab-babad-gutih-tugad-mudof");
});

describe("the host's invitations", () => {
	test.each([
		[{ uses: 0 }, 400],
		[{ uses: 1 }, 201],
		[{ uses: 100_000 }, 201],
		[{ uses: 100_001 }, 400],
		[{ days: 0 }, 400],
		[{ days: 3_650 }, 201],
		[{ days: 3_651 }, 400],
		[{ uses: 1.5 }, 400],
	])("%j is %i", async (terms, expected) => {
		const { status } = await context.host("POST", "/invites", terms);
		expect(status).toBe(expected);
	});

	test("are listed without their codes, and 30 days longer than they hold", async () => {
		const { code, invite: made } = await invite({ days: 1 });
		expect(code).toMatch(/^([a-z]{5}-){4}[a-z]{5}$/);
		expect(code).toStartWith(`${made.label}-`);
		expect((await context.host("GET", "/invites")).text).not.toContain(code);
		context.advance(31 * DAY_MS - 1);
		await invite();
		expect(await invites()).toHaveLength(2);
		context.advance(2);
		await invite();
		expect(await invites()).toHaveLength(2);
	});
});
