import { expect, test } from "bun:test";
import { HOUR_MS } from "../../../../src/core/lib/clock.ts";
import { resortAt } from "../../../support/calls.ts";
import { useFreshFolder } from "../../../support/folder.ts";
import { until } from "../../../support/until.ts";
import { prepareMetrics } from "../../metrics/exposition.ts";
import { useReceiver } from "../receiver.ts";

const flags = ["--port", "0", "--webhooks", "on"].concat(
	["--webhooks-allow", "127.0.0.0/8, ::1"],
	["--log-level", "debug"],
);

const folder = useFreshFolder();
const receiver = useReceiver();

const start = (more: readonly string[] = []) => folder.serve([...flags, ...more]);

async function subscribe(url: string, host = "127.0.0.1") {
	const { key } = await resortAt(url).register();
	const made = await resortAt(url).send("POST", "/api/webhooks", { key, body: { url: receiver.url(host) } });
	return { key, secret: made.secret, id: made.webhook.id };
}

test("a message without a result before a kill is sent again after the start, with the same id", async () => {
	const first = await start();
	const { key, secret } = await subscribe(first.url, "localhost");
	receiver.answer = () => Bun.sleep(60_000).then(() => 204);
	await first.send("POST", "/api/checkin", { key });
	await receiver.has(1);
	await first.stop("SIGKILL");

	receiver.answer = () => 204;
	const second = await start();
	await receiver.has(2);
	await second.send("POST", "/api/checkout", { key });
	await receiver.has(3);
	expect(receiver.types).toEqual(["agent.relaxing", "agent.relaxing", "agent.available"]);
	expect(receiver.messages[1]?.id).toBe(`${receiver.messages[0]?.id}`);
	receiver.verify(secret);
	const { exitCode, stderr } = await second.stop();
	expect(exitCode).toBe(0);
	expect(stderr).not.toContain(secret);
	const third = await start();
	// A repeated message would arrive before that of the next event.
	await third.send("POST", "/api/checkin", { key });
	await receiver.has(4);
	expect(receiver.types.at(-1)).toBe("agent.relaxing");
	expect(receiver.messages).toHaveLength(4);
	await third.stop();
});

test("a stopping instance waits at most 5 s for a receiver", async () => {
	const resort = await start();
	const { key } = await subscribe(resort.url);
	receiver.answer = () => Bun.sleep(60_000).then(() => 204);
	await resort.send("POST", "/api/checkin", { key });
	await receiver.has(1);
	const startMs = performance.now();
	const { exitCode } = await resort.stop();
	expect(exitCode).toBe(0);
	expect(performance.now() - startMs).toBeLessThan(8_000);
});

test("the test clock makes retries due, and metrics count the attempts", async () => {
	const metrics = await prepareMetrics();
	const controls = ["--ephemeral", "--test-controls"];
	const resort = await start([...controls, ...metrics.flags]);
	const scrape = async (name: string) => (await metrics.scrape()).get(name);
	const delivered = 'resort_webhook_deliveries_total{outcome="delivered"}';
	const failed = 'resort_webhook_deliveries_total{outcome="failed"}';
	const oldest = "resort_webhook_oldest_undelivered_seconds";
	const { key, id } = await subscribe(resort.url);
	const path = `/api/webhooks/${id}/deliveries`;
	expect(await scrape(oldest)).toBe(0);
	receiver.answer = () => 500;
	await resort.send("POST", "/api/checkin", { key });
	for (let attempt = 1; attempt <= 3; attempt++) {
		await until(async () => (await scrape(failed)) === attempt);
		await until(async () => {
			const { deliveries } = await resort.send("GET", path, { key });
			return deliveries[0]?.attempt === attempt;
		});
		if (attempt === 3) receiver.answer = () => 204;
		const hour = { advanceSeconds: HOUR_MS / 1_000 };
		await resort.send("POST", "/test/clock", { body: hour });
	}
	await until(async () => (await scrape(delivered)) === 1);
	expect(new Set(receiver.messages.map(({ id }) => id)).size).toBe(1);
	await until(async () => (await scrape(oldest)) === 0);
	receiver.answer = () => 500;
	await resort.send("POST", "/api/checkout", { key });
	await until(async () => ((await scrape(oldest)) ?? 0) > 0);
	await resort.stop();
});
