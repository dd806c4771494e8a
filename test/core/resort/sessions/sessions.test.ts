import { describe, expect, test } from "bun:test";
import { getLogger } from "@logtape/logtape";
import { Sweeper } from "../../../../src/cli/sweeper.ts";
import { DAY_MS } from "../../../../src/core/lib/clock.ts";
import { expectBrokenBound, expectRefusal } from "../../../support/answers.ts";
import { unstorable } from "../../../support/bodies.ts";
import { useAgent, useResort } from "../../../support/use-resort.ts";
import { COOKIE } from "../../../support/values.ts";

const resort = useResort();
const ada = useAgent(resort);

const login = (apiKey: unknown) => resort.call("POST", "/api/session", { body: { apiKey } });

async function statusOf(session: string): Promise<number> {
	return (await resort.me({ session })).status;
}

describe("POST /api/session", () => {
	test("sets one cookie with the documented attributes, and returns the token nowhere else", async () => {
		const { headers, text } = await login(ada.key);
		const [cookie = "", ...others] = headers.getSetCookie();
		const [, token = ""] = COOKIE.exec(cookie) ?? [];
		expect(others).toEqual([]);
		expect(token).not.toBe("");
		expect(text).not.toContain(token);
	});

	test("stores the token only as a hash", async () => {
		const token = await resort.login(ada.key);
		expect(await resort.holds(token)).toBe(false);
		expect(await resort.holds(Buffer.from(token, "hex"))).toBe(false);
		const hash = new Bun.CryptoHasher("sha256").update(token).digest();
		expect(await resort.holds(hash)).toBe(true);
	});

	test("deletes expired sessions, which stay invalid after the clock is set back", async () => {
		const session = await resort.login(ada.key);
		expect(await statusOf(session)).toBe(200);
		resort.advance(8 * DAY_MS);
		await resort.login(ada.key);
		resort.advance(-8 * DAY_MS);
		expect(await statusOf(session)).toBe(401);
	});

	test("creates a session that the sweeper deletes when it has expired", async () => {
		const sweeper = new Sweeper(resort.context, DAY_MS, getLogger());
		const kept = async () => {
			await sweeper.sweep();
			return (await resort.rows("SELECT 1 FROM sessions")).length;
		};
		const first = await resort.login(ada.key);
		resort.advance(DAY_MS);
		const later = await resort.login(ada.key);
		resort.advance(6 * DAY_MS - 1);
		expect(await kept()).toBe(2);
		expect(await statusOf(first)).toBe(200);
		resort.advance(1);
		expect(await statusOf(first)).toBe(401);
		expect(await kept()).toBe(1);
		expect(await statusOf(later)).toBe(200);
	});

	test("accepts keys of 10 to 256 characters", async () => {
		for (const length of [9, 10, 256, 257]) {
			for (const character of ["a", "🌴"]) {
				const answer = await login(character.repeat(length));
				const fits = length >= 10 && length <= 256;
				if (fits) expectRefusal(answer, 401, "Unauthorized");
				else {
					expectBrokenBound(answer, "apiKey");
					expect(answer.body.error).toContain("10 to 256");
				}
				expect(answer.headers.getSetCookie()).toEqual([]);
			}
		}
	});

	test("does not trim the key", async () => {
		for (const key of [` ${ada.key}`, `${ada.key} `, `${ada.key}\n`]) {
			expectRefusal(await login(key), 401, "Unauthorized");
		}
		expectRefusal(await login(" ".repeat(10)), 401, "Unauthorized");
		expectBrokenBound(await login(" ".repeat(9)), "apiKey");
		expectRefusal(await login("ar_short  "), 401, "Unauthorized");
	});

	test("returns 400 for a key that is not a string or cannot be stored", async () => {
		for (const value of [undefined, null, 1234567890, true, [], {}]) {
			expectBrokenBound(await login(value), "apiKey");
		}
		for (const text of unstorable) {
			expectBrokenBound(await login(text), "apiKey");
		}
	});
});
