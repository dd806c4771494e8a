import { describe, expect, test } from "bun:test";
import { DAY_MS } from "../../../src/core/lib/clock.ts";
import { TestResort } from "../../support/resort.ts";
import { toLoopback, WebhookScene } from "./receiver.ts";

const scene = new WebhookScene();

test("POST /api/webhooks/:id/test sends a ping once, and returns the result of the ping", async () => {
	const { id, secret } = await scene.subscribe();
	const ping = async () => (await scene.call("POST", `/api/webhooks/${id}/test`)).body.delivery;
	const accepted = await ping();
	expect(accepted).toMatchObject({ id: `${scene.receiver.pings[1]?.id}`, attempt: 1, status: 204 });
	scene.receiver.answer = () => 500;
	const refused = await ping();
	expect(refused).toMatchObject({ attempt: 1, status: 500, next: null });
	expect(await scene.deliveries(id)).toEqual([refused, accepted]);
	expect(await scene.webhook(id)).toMatchObject({ failure: "returned 500" });
	// A webhook is disabled after five days of failures, but a failed ping does not start these five days.
	// Pings do not advance the webhook's position in the sequence of events.
	const rows = await scene.context.rows("SELECT failing_since, position FROM webhooks");
	expect(rows).toEqual([{ failing_since: null, position: 1 }]);
	await scene.pass(30 * DAY_MS);
	expect(new Set(scene.receiver.pings.map((ping) => ping.id)).size).toBe(3);
	expect(scene.receiver.pings).toHaveLength(3);
	scene.receiver.verify(secret);
});

describe("POST /api/webhooks/:id/deliveries/:deliveryId/redeliver", () => {
	const redeliver = (id: string, delivery = scene.receiver.messages[0]?.id) =>
		scene.call("POST", `/api/webhooks/${id}/deliveries/${delivery}/redeliver`);

	test.each([204, 500])(
		"immediately sends a message again, with the same id, after a response with the status %d",
		async (status) => {
			const { id } = await scene.receive(status);
			scene.receiver.answer = () => 204;
			const { body } = await redeliver(id);
			const next = "2026-03-10T12:00:00.000Z";
			expect(body.delivery).toMatchObject({ attempt: 1, status, next });
			await scene.receiver.has(2);
			await scene.written(2);
			expect(await scene.deliveries(id)).toMatchObject([{ attempt: 2, status: 204, next: null }]);
			const [first, second] = scene.receiver.messages;
			expect([second?.id, second?.text]).toEqual([first?.id, first?.text]);
		},
	);

	test("shares a rate limit of 20 calls an hour with POST /api/webhooks/:id/test", async () => {
		await using limited = new TestResort({ rateLimits: true, webhooks: toLoopback });
		const { key } = await limited.register();
		const ask = (path: string) => limited.call("POST", `/api/webhooks/none/${path}`, { key });
		for (const status of [...Array(10).fill(404), 429]) {
			for (const path of ["deliveries/none/redeliver", "test"]) {
				expect((await ask(path)).status).toBe(status);
			}
		}
	});

	test("refuses an unknown delivery, a delivery of another webhook, and one whose event has been deleted", async () => {
		const one = await scene.receive(204);
		const two = await scene.subscribe({ types: ["agent.gone"] });
		expect((await redeliver(one.id, "msg_1")).body.error).toBe("Delivery not found");
		expect((await redeliver(two.id)).body.error).toBe("Delivery not found");
		await scene.context.rows("DELETE FROM events");
		expect((await redeliver(one.id)).body.error).toBe("The event has been deleted");
	});
});
