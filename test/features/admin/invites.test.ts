import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { systemRandom } from "../../../src/core/lib/random.ts";
import { TestResort } from "../../support/resort.ts";

/** The numbers of the first words of the next codes. When the list is empty, first words are random. */
let firstWords: number[];
let context: TestResort;

beforeEach(() => {
	firstWords = [];
	context = new TestResort({
		random: {
			...systemRandom,
			bytes(length) {
				const bytes = systemRandom.bytes(length);
				bytes.set([0, firstWords.shift() ?? bytes[1] ?? 0]);
				return bytes;
			},
		},
	});
});
afterEach(() => context.close());

const invite = async () => Object(await context.byHost("/invites", {}));
const listed = async () => Object((await context.host("GET", "/invites")).body).invites;
const revoke = async (code: string) => {
	const { status, body } = await context.host("POST", "/invites/revoke", { code });
	return { status, body: Object(body) };
};

describe("revoke-invite", () => {
	test("revokes an invitation by its code or its first word, and returns it", async () => {
		for (const nameOf of [
			({ code }: { code: string }) => ` ${code.toUpperCase().replaceAll("-", " ")} `,
			({ invite }: { invite: { label: string } }) => ` ${invite.label.toUpperCase()} `,
		]) {
			const made = await invite();
			const kept = await invite();
			expect((await revoke(nameOf(made))).body).toEqual({ ok: true, invite: made.invite });
			expect(await listed()).toEqual([kept.invite]);
			await revoke(kept.code);
		}
		expect((await revoke("babad")).status).toBe(404);
	});

	test("refuses a first word that several invitations share", async () => {
		firstWords = [3, 3];
		const [one, two] = [await invite(), await invite()];
		const { label } = one.invite;
		const error = `2 invitations begin with ${label}`;
		expect(await revoke(label)).toMatchObject({ status: 400, body: { error } });
		expect(await listed()).toHaveLength(2);
		expect((await revoke(one.code)).status).toBe(200);
		expect((await revoke(two.invite.label)).status).toBe(200);
		expect(await listed()).toEqual([]);
	});
});
