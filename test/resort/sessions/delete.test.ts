import { beforeEach, describe, expect, test } from "bun:test";
import { namesOf } from "../../support/answers.ts";
import type { Ask } from "../../support/resort.ts";
import { useAgent, useResort } from "../../support/use-resort.ts";

const resort = useResort();
const ada = useAgent(resort);
let session: string;

beforeEach(async () => {
	session = await resort.login(ada.key);
});

const logout = (ask: Ask) => resort.ask("DELETE", "/api/session", ask);

async function statusOf(credential: Ask): Promise<number> {
	return (await resort.ask("GET", "/api/me", credential)).status;
}

describe("DELETE /api/session", () => {
	test("ends the session and clears the cookie", async () => {
		const { status, body, headers } = await logout({ session });
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
		expect(await statusOf({ session })).toBe(401);
	});

	test("ends no other session and not the key", async () => {
		const other = await resort.login(ada.key);
		await logout({ session });
		expect(await statusOf({ session: other })).toBe(200);
		expect(await statusOf({ key: ada.key })).toBe(200);
	});

	test("succeeds once at least when asked for eight times at once", async () => {
		const answers = await Promise.all(
			Array.from({ length: 8 }, () => logout({ session })),
		);
		const statuses = new Set(answers.map(({ status }) => status));
		expect(statuses).toContain(200);
		expect([200, 401]).toEqual(expect.arrayContaining([...statuses]));
		expect(await statusOf({ session })).toBe(401);
	});
});
