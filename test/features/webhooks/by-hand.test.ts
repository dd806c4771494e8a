import { describe, expect, test } from "bun:test";
import { DAY_MS } from "../../../src/core/lib/clock.ts";
import { subscribe, toLoopback, WebhookScene } from "../../support/receiver.ts";
import { TestResort } from "../../support/resort.ts";

const scene = new WebhookScene();

describe("POST /api/webhooks/{id}/test", () => {
	test("sends a ping at once, and returns its result", async () => {
		const { id, secret } = await scene.subscribe();
		const ask = () => scene.ask("POST", `/api/webhooks/${id}/test`);
		const fine = await ask();
		expect(fine.status).toBe(200);
		expect(fine.body.delivery).toEqual({
			id: scene.receiver.pings[1]?.id as string,
			eventId: null,
			at: "2026-03-10T12:00:00.000Z",
			attempt: 1,
			status: 204,
			next: null,
		});
		scene.receiver.answer = () => 500;
		const failed = await ask();
		expect(failed.body.delivery).toMatchObject({
			attempt: 1,
			status: 500,
			next: null,
		});
		expect(await scene.deliveries(id)).toEqual([failed.body.delivery, fine.body.delivery]);
		expect(await scene.webhook(id)).toMatchObject({ failure: "returned 500" });
		const state = "SELECT failing_since FROM webhooks";
		expect(await scene.context.rows(state)).toEqual([{ failing_since: null }]);
		await scene.pass(30 * DAY_MS);
		expect(scene.receiver.pings).toHaveLength(3);
		expect(new Set(scene.receiver.pings.map((ping) => ping.id)).size).toBe(3);
		scene.receiver.verify(secret);
	});
});

describe("POST /api/webhooks/{id}/deliveries/{deliveryId}/redeliver", () => {
	const redeliver = (id: string, delivery: string) =>
		scene.ask("POST", `/api/webhooks/${id}/deliveries/${delivery}/redeliver`);

	/** Waits until the only delivery of a webhook was sent for the second time, and taken. */
	async function expectSecond(id: string) {
		await scene.receiver.has(2);
		await scene.written(2);
		expect(await scene.deliveries(id)).toMatchObject([{ attempt: 2, status: 204, next: null }]);
	}

	test("sends the same again, with the same id", async () => {
		const { id } = await scene.subscribe();
		await scene.happen();
		await scene.written(1);
		const [first] = scene.receiver.messages;
		const { status, body } = await redeliver(id, first?.id ?? "");
		expect(status).toBe(200);
		expect(body.delivery).toMatchObject({
			id: first?.id as string,
			attempt: 1,
			next: "2026-03-10T12:00:00.000Z",
		});
		await expectSecond(id);
		const [, { id: again, text } = {}] = scene.receiver.messages;
		expect({ again, text }).toEqual({ again: first?.id, text: first?.text });
	});

	test("does not wait for the next attempt", async () => {
		const { id } = await scene.subscribe();
		scene.receiver.answer = () => 500;
		await scene.happen();
		await scene.written(1);
		scene.receiver.answer = () => 204;
		await redeliver(id, scene.receiver.messages[0]?.id ?? "");
		await expectSecond(id);
	});

	test("shares the limit of test", async () => {
		await using limited = new TestResort({
			rateLimits: true,
			webhooks: toLoopback,
		});
		const agent = await limited.register();
		const { id } = await subscribe(limited, agent, {
			url: scene.receiver.url(),
		});
		const ask = (path: string) => limited.ask("POST", `/api/webhooks/${id}/${path}`, { key: agent.key });
		const statuses = new Set<number>();
		for (let call = 0; call < 19; call++) {
			statuses.add((await ask("deliveries/none/redeliver")).status);
		}
		expect([...statuses]).toEqual([404]);
		expect((await ask("test")).status).toBe(200);
		const positions = await limited.rows("SELECT position FROM webhooks");
		expect(positions).toEqual([{ position: 0 }]);
		for (const path of ["deliveries/none/redeliver", "test"]) {
			const { status, headers } = await ask(path);
			expect(status).toBe(429);
			expect(headers.get("retry-after")).toBe("3600");
		}
	});

	test("refuses what there is not, what is another webhook's and what is forgotten", async () => {
		const one = await scene.subscribe();
		const two = await scene.subscribe({ types: ["agent.gone"] });
		await scene.happen();
		await scene.written(1);
		const delivery = scene.receiver.messages[0]?.id ?? "";
		const errorOf = async (id: string, what = delivery) => (await redeliver(id, what)).body.error;
		expect(await errorOf(one.id, "msg_1")).toBe("Delivery not found");
		expect(await errorOf(two.id)).toBe("Delivery not found");
		await scene.context.rows("DELETE FROM events");
		expect(await errorOf(one.id)).toBe("The event has been deleted");
	});
});
