import { describe, expect, test } from "bun:test";
import { DAY_MS } from "../../../src/core/lib/clock.ts";
import { systemRandom } from "../../../src/core/lib/random.ts";
import type { Result } from "../../../src/features/admin/operations.ts";
import { TestResort } from "../../support/resort.ts";
import { useResort } from "../../support/use-resort.ts";

const context = useResort({ registration: "invite" });

type Invite = Result<"invite">["invite"];

const invite = async (terms: object = {}, resort = context): Promise<Result<"invite">> =>
	Object(await resort.byHost("/invites", terms));
const register = (inviteCode?: unknown, resort = context) =>
	resort.call("POST", "/api/agents", { body: { name: "Ada", inviteCode } });
const invites = async (resort = context): Promise<Invite[]> =>
	Object((await resort.host("GET", "/invites")).body).invites;

describe("POST /api/agents with `--registration invite`", () => {
	test("returns 400 for `inviteCode` if the code is missing", async () => {
		for (const missing of [undefined, null, "", "  "]) {
			const { status, body } = await register(missing);
			const refusal = { error: "inviteCode is required", field: "inviteCode" };
			expect({ status, body }).toMatchObject({ status: 400, body: refusal });
			expect(body.hint).toContain("resort's host");
		}
		expect(await context.rows("select id from agents")).toEqual([]);
	});

	test("accepts a code in upper case or with other separators, but only once", async () => {
		for (const spell of [
			(code: string) => code.toUpperCase(),
			(code: string) => ` ${code.replaceAll("-", " ")} `,
			(code: string) => code.replaceAll("-", "  _ "),
		]) {
			const { code } = await invite();
			expect((await register(spell(code))).status).toBe(201);
			expect((await register(code)).status).toBe(403);
		}
	});

	test("returns the same 403 for unknown, used, expired and revoked codes", async () => {
		const used = (await invite()).code;
		await register(used);
		const revoked = (await invite()).code;
		await context.byHost("/invites/revoke", { code: revoked });
		const over = (await invite({ days: 1 })).code;
		const short = (await invite()).invite.label;
		context.advance(DAY_MS);
		const wrong = "lusab-babad-gutih-tugad-fidod";
		const first = await register(wrong);
		expect(first).toMatchObject({ status: 403, body: { error: "The invitation is not valid" } });
		for (const code of [used, revoked, over, short]) {
			const { status, body } = await register(code);
			expect({ status, body }).toEqual({ status: 403, body: first.body });
		}
	});

	test("accepts a code `uses` times before it expires, and does not store the code", async () => {
		const { code } = await invite({ uses: 2, days: 2 });
		context.advance(2 * DAY_MS - 1);
		const statuses = [];
		for (let at = 0; at < 3; at++) statuses.push((await register(code)).status);
		expect(statuses).toEqual([201, 201, 403]);
		expect(await invites()).toMatchObject([{ uses: 2, used: 2 }]);
		const [, ...secret] = code.split("-");
		for (const text of [code, secret.join("-")]) expect(await context.holds(text)).toBe(false);
	});

	test("does not count a refused registration as a use of the code", async () => {
		const { code } = await invite();
		const body = { name: "A", inviteCode: code };
		expect((await context.call("POST", "/api/agents", { body })).status).toBe(400);
		expect((await register(code)).status).toBe(201);
	});

	test("accepts only one of 50 concurrent registrations with the same single-use code", async () => {
		const { code } = await invite();
		const answers = await Promise.all(Array.from({ length: 50 }, () => register(code)));
		const statuses = answers.map(({ status }) => status).sort();
		expect(statuses).toEqual([201, ...Array<number>(49).fill(403)]);
		expect(await context.rows("select id from agents")).toHaveLength(1);
	});
});

test("with `--registration closed`, POST /api/agents refuses all registrations", async () => {
	await using resort = new TestResort({ registration: "closed" });
	const { code } = await invite({}, resort);
	for (const given of [undefined, code]) {
		const { status, body } = await register(given, resort);
		expect({ status, error: body.error }).toEqual({ status: 403, error: "Registration is closed" });
	}
});

test("with `--registration open`, POST /api/agents ignores invite codes", async () => {
	await using resort = new TestResort();
	const { code } = await invite({}, resort);
	for (const given of [undefined, code, "wrong"]) {
		expect((await register(given, resort)).status).toBe(201);
	}
	expect(await invites(resort)).toMatchObject([{ used: 0 }]);
});

test("the code of an invitation encodes random bytes as pronounceable words (proquints)", async () => {
	// The bytes and words are examples from https://arxiv.org/abs/0901.4016.
	const bytes = Uint8Array.of(127, 0, 0, 1, 63, 84, 220, 193, 140, 98);
	const random = { ...systemRandom, bytes: (count: number) => bytes.slice(bytes.length - count) };
	await using resort = new TestResort({ random });
	const { code } = await invite({}, resort);
	expect(code).toBe("lusab-babad-gutih-tugad-mudof");
});

test.each([
	["0 uses", 400, { uses: 0 }],
	["100,000 uses, the maximum,", 201, { uses: 100_000 }],
	["100,001 uses, one more than the maximum,", 400, { uses: 100_001 }],
	["0 days", 400, { days: 0 }],
	["3,650 days, the maximum,", 201, { days: 3_650 }],
	["3,651 days, one more than the maximum,", 400, { days: 3_651 }],
])("creating an invitation for %s returns %i", async (_, expected, terms) => {
	const { status } = await context.host("POST", "/invites", terms);
	expect(status).toBe(expected);
});

test("invitations are listed, without their codes, until 30 days after their expiry", async () => {
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

describe("`resort admin revoke-invite`", () => {
	const revoke = (code: string, resort = context) => resort.host("POST", "/invites/revoke", { code });

	test("revokes an invitation by its code or by the first word of the code, and returns the invitation", async () => {
		for (const nameOf of [
			({ code }: { code: string }) => ` ${code.toUpperCase().replaceAll("-", " ")} `,
			({ invite }: { invite: Invite }) => ` ${invite.label.toUpperCase()} `,
		]) {
			const made = await invite();
			const kept = await invite();
			expect((await revoke(nameOf(made))).text).toBe(JSON.stringify({ ok: true, invite: made.invite }));
			expect(await invites()).toEqual([kept.invite]);
			await revoke(kept.code);
		}
		expect((await revoke("babad")).status).toBe(404);
	});

	test("refuses the first word of a code if several codes begin with it", async () => {
		const random = {
			...systemRandom,
			// The first two bytes determine the first word, so all codes begin with the same word.
			bytes(length: number) {
				const bytes = systemRandom.bytes(length);
				bytes.set([0, 3]);
				return bytes;
			},
		};
		await using resort = new TestResort({ random });
		const [one, two] = [await invite({}, resort), await invite({}, resort)];
		const { label } = one.invite;
		const error = `2 invitations begin with ${label}`;
		expect(await revoke(label, resort)).toMatchObject({ status: 400, body: { error } });
		expect(await invites(resort)).toHaveLength(2);
		expect((await revoke(one.code, resort)).status).toBe(200);
		expect((await revoke(two.invite.label, resort)).status).toBe(200);
		expect(await invites(resort)).toEqual([]);
	});
});

test("`resort admin register` works despite `--registration closed` and rate limits, and is recorded in the history", async () => {
	await using closed = new TestResort({ registration: "closed", rateLimits: true });
	for (let count = 1; count <= 12; count++) {
		const { id, name, apiKey } = Object(await closed.byHost("/agents", { name: " Smoke Test " }));
		expect(name).toBe("Smoke Test");
		expect((await closed.me({ key: apiKey })).body.agent.id).toBe(id);
		const history = await closed.host("GET", `/history?agent=${id}`);
		expect(Object(history.body).actions).toMatchObject([{ command: "register", agentId: id }]);
	}
	expect((await closed.host("POST", "/agents", { name: "x" })).status).toBe(400);
});
