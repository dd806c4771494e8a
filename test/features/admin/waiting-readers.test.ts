/** Tests that changes by the host reach event readers and webhooks, although events are cached. */
import { beforeEach, expect, test } from "bun:test";
import { useGuest, useResort } from "../../support/use-resort.ts";
import { Receiver, subscribe, toLoopback, written } from "../webhooks/receiver.ts";

const context = useResort({ onFile: true, webhooks: toLoopback });
const ada = useGuest(context, { name: "Ada" });
const bob = useGuest(context, { name: "Bob" });
beforeEach(() => {
	context.advance(1000);
});

test("GET /api/events applies `hide`, `show`, `rename` and `erase` immediately, even to events that a waiting call keeps in memory", async () => {
	const { id: bath } = await context.create(ada, { name: "Nasty Bath" });
	const since = (await context.call("GET", "/api/events")).body.cursor;
	const waiting = context.call("GET", "/api/events?types=agent.gone&wait=60");
	await context.untilWaiting();
	const { id } = await context.sendPostcard(ada, { message: "Nasty words" });
	await context.complete(bob, bath);
	const read = async () => (await context.call("GET", `/api/events?since=${since}&wait=1`)).text;
	expect(await read()).toMatch(/Nasty words.*Nasty Bath/s);
	await context.byHost(`/postcards/${id}/hide`);
	await context.byHost(`/experiences/${bath}/hide`);
	await context.byHost(`/agents/${bob.id}/rename`, { name: "Quiet One" });
	const hidden = await read();
	expect(hidden).not.toContain("Nasty");
	expect(hidden).toMatch(/Quiet One.*\(hidden\)/s);
	await context.byHost(`/postcards/${id}/show`);
	expect(await read()).toContain("Nasty words");
	await context.byHost(`/agents/${ada.id}/erase`);
	expect(await read()).not.toContain("Nasty");
	expect((await waiting).body.events).toHaveLength(1);
});

test("a repeated delivery to a webhook does not contain texts that were hidden after the first attempt", async () => {
	await using receiver = new Receiver();
	context.sender?.start();
	await subscribe(context, bob, { url: receiver.url() });
	receiver.answer = () => 503;
	const { id } = await context.sendPostcard(ada, { message: "Nasty words" });
	await receiver.has(1);
	const { id: bath } = await context.create(ada, { name: "Nasty Bath" });
	await receiver.has(2);
	await context.byHost(`/postcards/${id}/hide`);
	await context.byHost(`/experiences/${bath}/hide`);
	receiver.answer = () => 204;
	const before = receiver.messages.length;
	// Waits until the results of the attempts are stored. A result that is stored after the clock has advanced
	// would delay the next attempt.
	await written(context, before);
	context.advance(3_600_000);
	await receiver.has(before + 2);
	const later = receiver.messages.slice(before).map(({ text }) => text);
	expect(later.join("\n")).not.toContain("Nasty");
});
