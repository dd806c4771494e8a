import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { systemRandom } from "../../../src/core/lib/random.ts";
import { TestResort } from "../../support/resort.ts";

/** What the next codes begin with; then chance has its way. */
let words: number[];
let context: TestResort;

beforeEach(() => {
	words = [];
	context = new TestResort({
		random: {
			...systemRandom,
			bytes(length) {
				const bytes = systemRandom.bytes(length);
				bytes.set([0, words.shift() ?? bytes[1] ?? 0]);
				return bytes;
			},
		},
	});
});
afterEach(() => context.close());

interface Made {
	readonly code: string;
	readonly invite: { readonly label: string };
}

const invite = async () => (await context.byHost("/invites", {})) as unknown as Made;
const revoke = async (code: string) => {
	const { status, body } = await context.host("POST", "/invites/revoke", {
		code,
	});
	return { status, body: Object(body) };
};
const listed = async () => Object((await context.host("GET", "/invites")).body).invites;

describe("revoke-invite", () => {
	test("revokes an invitation by its code or its first word, and returns it", async () => {
		for (const named of [
			({ code }: Made) => ` ${code.toUpperCase().replaceAll("-", " ")} `,
			({ invite }: Made) => ` ${invite.label.toUpperCase()} `,
		]) {
			const made = await invite();
			const kept = await invite();
			const ended = await revoke(named(made));
			expect(ended.body).toEqual({ ok: true, invite: made.invite });
			expect(await listed()).toEqual([kept.invite]);
			await revoke(kept.code);
		}
		expect((await revoke("babad")).status).toBe(404);
	});

	test("ends nothing by a word that several share, and each by its whole code", async () => {
		words = [3, 3];
		const [one, two] = [await invite(), await invite()];
		expect(two.invite.label).toBe(one.invite.label);
		const { status, body } = await revoke(one.invite.label);
		expect({ status, error: body.error }).toEqual({
			status: 400,
			error: `2 invitations begin with ${one.invite.label}`,
		});
		expect(await listed()).toHaveLength(2);
		expect((await revoke(one.code)).status).toBe(200);
		expect((await revoke(two.invite.label)).status).toBe(200);
		expect(await listed()).toEqual([]);
	});
});
