/**
 * Tests of credentials that one instance has cached and another instance of the same database revokes. See
 * also test/walk/several.test.ts.
 */
import { describe, expect, test } from "bun:test";
import { expectRefusal } from "../../../support/answers.ts";
import type { CallOptions } from "../../../support/calls.ts";
import { useGuest, useInstances } from "../../../support/use-resort.ts";

const [one, two] = useInstances();
const ada = useGuest(one);

/** Waits until an instance on SQLite checks again for commits by others, which it does once a millisecond. */
const nextMillisecond = () => Bun.sleep(2);

async function requireKnown(ask: CallOptions): Promise<void> {
	for (const resort of [one, two]) {
		expect((await resort.me(ask)).status).toBe(200);
	}
}

async function requireRefused(ask: CallOptions): Promise<void> {
	await nextMillisecond();
	for (const [method, path] of [
		["PATCH", "/api/me"],
		["GET", "/api/me"],
		["POST", "/api/activities/tidepool-float/do"],
	] as const) {
		const body = method === "PATCH" ? { body: { bio: "x" } } : {};
		const answer = await one.call(method, path, { ...ask, ...body });
		expectRefusal(answer, 401, "Unauthorized");
	}
}

describe("a credential that one instance has cached", () => {
	test("is refused after another instance has deactivated the agent", async () => {
		const session = await one.login(ada.key);
		await requireKnown(ada);
		await requireKnown({ session });
		await two.call("DELETE", "/api/me", { key: ada.key });
		await requireRefused({ key: ada.key });
		await requireRefused({ session });
	});

	test("is refused if another instance deactivates the agent while the body of a call is being received", async () => {
		await requireKnown(ada);
		const body = new TransformStream<Uint8Array, Uint8Array>();
		const sender = body.writable.getWriter();
		const asked = one.call("POST", "/api/postcards", {
			key: ada.key,
			raw: body.readable,
			headers: { "content-type": "application/json" },
		});
		await sender.write(Buffer.from('{"message":'));
		await two.call("DELETE", "/api/me", { key: ada.key });
		await nextMillisecond();
		await sender.write(Buffer.from('"Hello"}'));
		await sender.close();
		expectRefusal(await asked, 401, "Unauthorized");
		expect(await two.rows("SELECT id FROM postcards")).toEqual([]);
	});
});
