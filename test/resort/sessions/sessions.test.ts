import { beforeEach, describe, expect, test } from "bun:test";
import { DAY_MS } from "../../../src/lib/clock.ts";
import { expectBrokenBound, expectRefusal } from "../../support/answers.ts";
import { forged, unknownKey } from "../../support/api-key.ts";
import { unstorable } from "../../support/bodies.ts";
import { useAgent, useResort } from "../../support/use-resort.ts";
import { fields, namesOf } from "../../support/values.ts";

const resort = useResort();
const ada = useAgent(resort);

const login = (apiKey: unknown) =>
	resort.ask("POST", "/api/session", { body: { apiKey } });

async function statusOf(session: string): Promise<number> {
	return (await resort.me({ session })).status;
}

describe("POST /api/session", () => {
	test("answers the caller's profile and no key", async () => {
		const { status, body, text } = await login(ada.key);
		expect(status).toBe(200);
		expect(namesOf(body)).toBe("agent ok");
		expect(body.ok).toBe(true);
		expect(namesOf(body.agent)).toBe(fields.agent);
		expect(body.agent.id).toBe(ada.id);
		expect(text).not.toContain(ada.key.split("_")[2] ?? "");
	});

	test("sets one cookie with exactly the attributes decided", async () => {
		const { headers, text } = await login(ada.key);
		expect(headers.getSetCookie()).toHaveLength(1);
		const [pair = "", ...attributes] =
			headers.getSetCookie()[0]?.split("; ") ?? [];
		expect(attributes.sort()).toEqual([
			"HttpOnly",
			"Max-Age=604800",
			"Path=/",
			"SameSite=Strict",
			"Secure",
		]);
		// 43 characters of base 64 hold 256 bits, 64 of hexadecimal do.
		expect(pair).toMatch(/^__Host-resort_session=[0-9A-Za-z_-]{43,}$/);
		expect(text).not.toContain(pair.split("=")[1] ?? "");
	});

	test("keeps the token as a hash alone", async () => {
		const token = await resort.login(ada.key);
		expect(await resort.holds(token)).toBe(false);
		expect(await resort.holds(Buffer.from(token, "hex"))).toBe(false);
		const hash = new Bun.CryptoHasher("sha256").update(token).digest();
		expect(await resort.holds(hash)).toBe(true);
	});

	test("lets the session last seven days to the millisecond", async () => {
		const token = await resort.login(ada.key);
		resort.advance(7 * DAY_MS - 1);
		expect(await statusOf(token)).toBe(200);
		resort.advance(1);
		expect(await statusOf(token)).toBe(401);
		expect((await resort.me(ada)).status).toBe(200);
	});

	test("does not lengthen a session by using it or by another login", async () => {
		const token = await resort.login(ada.key);
		for (let day = 1; day < 7; day++) {
			resort.advance(DAY_MS);
			expect(await statusOf(token)).toBe(200);
		}
		const other = await resort.login(ada.key);
		resort.advance(DAY_MS);
		expect(await statusOf(token)).toBe(401);
		expect(await statusOf(other)).toBe(200);
	});

	test("that another login has swept away stays ended when the clock is set back", async () => {
		const session = await resort.login(ada.key);
		expect(await statusOf(session)).toBe(200);
		resort.advance(8 * DAY_MS);
		await resort.login(ada.key);
		resort.advance(-8 * DAY_MS);
		expect(await statusOf(session)).toBe(401);
	});

	test("takes a key of 10 to 256 characters", async () => {
		for (const length of [9, 10, 256, 257]) {
			for (const character of ["a", "🌴"]) {
				const answer = await login(character.repeat(length));
				const fits = length >= 10 && length <= 256;
				if (fits) expectRefusal(answer, 401, "Unauthorized");
				else expectBrokenBound(answer, "apiKey");
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

	test("refuses keys that are not right", async () => {
		for (const key of [
			forged(ada.key),
			unknownKey(ada.key),
			ada.key.slice(0, -1),
			`${ada.key}0`,
			ada.key.replace("ar_", "ai_"),
			ada.key.replace("ar_", "AR_"),
			`Bearer ${ada.key}`,
			"ai_0123456789abcdef",
		]) {
			const answer = await login(key);
			expectRefusal(answer, 401, "Unauthorized");
			expect(answer.headers.getSetCookie()).toEqual([]);
		}
	});

	test("refuses a key that is no text that can be stored", async () => {
		for (const value of [undefined, null, 1234567890, true, [], {}]) {
			expectBrokenBound(await login(value), "apiKey");
		}
		for (const text of unstorable) {
			expectBrokenBound(await login(text), "apiKey");
		}
	});
});

describe("DELETE /api/session", () => {
	let session: string;
	beforeEach(async () => {
		session = await resort.login(ada.key);
	});
	const logout = () => resort.ask("DELETE", "/api/session", { session });

	test("ends the session and clears the cookie", async () => {
		const { status, body, headers } = await logout();
		expect(status).toBe(200);
		expect(body.ok).toBe(true);
		expect(namesOf(body)).toBe("ok");
		expect(headers.getSetCookie()).toHaveLength(1);
		const parts = headers.getSetCookie()[0]?.split("; ") ?? [];
		expect(parts[0]).toBe("__Host-resort_session=");
		const attributes = parts
			.slice(1)
			.filter((part) => !part.startsWith("Expires="));
		expect(attributes.sort()).toEqual([
			"HttpOnly",
			"Max-Age=0",
			"Path=/",
			"SameSite=Strict",
			"Secure",
		]);
		expect(await statusOf(session)).toBe(401);
	});

	test("ends no other session and not the key", async () => {
		const other = await resort.login(ada.key);
		await logout();
		expect(await statusOf(other)).toBe(200);
		const me = await resort.me(ada);
		expect(me.status).toBe(200);
	});

	test("succeeds once at least when asked for eight times at once", async () => {
		const answers = await Promise.all(
			Array.from({ length: 8 }, () => logout()),
		);
		const statuses = new Set(answers.map(({ status }) => status));
		expect(statuses).toContain(200);
		expect([200, 401]).toEqual(expect.arrayContaining([...statuses]));
		expect(await statusOf(session)).toBe(401);
	});
});
