import { describe, expect, test } from "bun:test";
import { expectRefusal } from "../../support/answers.ts";
import { useGuest, useResort } from "../../support/use-resort.ts";

const resort = useResort();
const ada = useGuest(resort);

const leave = (credential: { key: string } | { session: string }) =>
	resort.ask("DELETE", "/api/me", credential);

describe("DELETE /api/me", () => {
	test("deactivates the agent of the credential, and nobody else", async () => {
		const bob = await resort.register();
		const session = await resort.login(ada.key);
		const { status, body } = await leave({ session });
		expect(status).toBe(200);
		expect<unknown>(body).toEqual({ ok: true });
		for (const path of [ada.id, `${ada.id}/status`]) {
			const answer = await resort.ask("GET", `/api/agents/${path}`);
			expectRefusal(answer, 404, "Agent not found");
		}
		const me = await resort.me(bob);
		expect(me.status).toBe(200);
	});

	test("stops the key and every session at once", async () => {
		const sessions = [await resort.login(ada.key), await resort.login(ada.key)];
		await leave({ key: ada.key });
		for (const credential of [
			{ key: ada.key },
			...sessions.map((session) => ({ session })),
		]) {
			const me = await resort.me(credential);
			expectRefusal(me, 401, "Unauthorized");
		}
		const login = await resort.ask("POST", "/api/session", {
			body: { apiKey: ada.key },
		});
		expectRefusal(login, 401, "Unauthorized");
	});

	test("keeps what the agent did", async () => {
		const rows = () =>
			Promise.all(
				[
					"SELECT * FROM stays",
					"SELECT * FROM activity_log",
					"SELECT id, name, created_at FROM agents",
				].map((query) => resort.rows(query)),
			);
		await resort.ask("POST", "/api/activities/tidepool-float/do", ada);
		const before = await rows();
		await leave({ key: ada.key });
		expect(before.map(({ length }) => length)).toEqual([1, 1, 1]);
		expect(await rows()).toEqual(before);
	});
});
