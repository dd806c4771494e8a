import { expect, test } from "bun:test";
import { HOUR_MS } from "../../../../src/core/lib/clock.ts";
import { makeCertificate } from "../../../support/certificate.ts";
import { useFreshFolder } from "../../../support/folder.ts";
import { testWith } from "../../../support/tools.ts";
import { until } from "../../../support/until.ts";
import { prepareMetrics } from "../../metrics/exposition.ts";
import { useReceiver } from "../receiver.ts";

const flags = ["--port", "0", "--webhooks", "on"].concat(
	["--webhooks-allow", "127.0.0.0/8, ::1"],
	["--log-level", "debug"],
);

const folder = useFreshFolder();
const receiver = useReceiver();

test("the test clock makes retries of webhooks due, metrics count the attempts, and the log has no secret", async () => {
	const metrics = await prepareMetrics();
	const resort = await folder.serve([...flags, "--ephemeral", "--test-controls", ...metrics.flags]);
	const scrape = async (name: string) => (await metrics.scrape()).get(name);
	const delivered = 'resort_webhook_deliveries_total{outcome="delivered"}';
	const failed = 'resort_webhook_deliveries_total{outcome="failed"}';
	const oldest = "resort_webhook_oldest_undelivered_seconds";
	const { key } = await resort.register();
	const body = { url: receiver.url("localhost") };
	const { webhook, secret } = await resort.send("POST", "/api/webhooks", { key, body });
	const path = `/api/webhooks/${webhook.id}/deliveries`;
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
	receiver.verify(secret);
	const { exitCode, stderr } = await resort.stop();
	expect(exitCode).toBe(0);
	expect(stderr).not.toContain(secret);
});

testWith(
	["openssl"],
	"no environment variable makes webhooks use a proxy, or disables the check of certificates",
	async () => {
		const names = ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "ALL_PROXY"];
		const proxies = Object.fromEntries(names.map((name) => [name, "http://127.0.0.1:9"]));
		const env = { ...proxies, NODE_USE_ENV_PROXY: "1", NODE_TLS_REJECT_UNAUTHORIZED: "0" };
		const resort = await folder.serve([...flags, "--ephemeral"], { env });
		const tls = await makeCertificate("localhost");
		using secure = Bun.serve({ port: 0, hostname: "127.0.0.1", tls, fetch: () => new Response() });
		const { key } = await resort.register();
		for (const [url, status, error] of [
			[receiver.url("localhost"), 201, undefined],
			[`https://localhost:${secure.port}`, 400, expect.stringContaining("(DEPTH_ZERO_SELF_SIGNED_CERT)")],
		] as const) {
			const answer = await resort.call("POST", "/api/webhooks", { key, body: { url } });
			expect([answer.status, answer.body.error]).toEqual([status, error]);
		}
		await resort.stop();
	},
);
