import { expect, test } from "bun:test";
import { makeCertificate } from "../../../support/certificate.ts";
import { serve } from "../../../support/executable.ts";
import { useTemporaryFolder } from "../../../support/folder.ts";
import { testWith } from "../../../support/tools.ts";
import { until } from "../../../support/until.ts";
import { useServer } from "../../../support/use-resort.ts";
import { prepareMetrics } from "../../metrics/exposition.ts";
import { useReceiver } from "../receiver.ts";

const flags = ["--ephemeral", "--test-controls", "--webhooks", "on", "--log-level", "debug"];
const proxies = ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "ALL_PROXY"];
const env = {
	RESORT_WEBHOOKS_ALLOW: "127.0.0.0/8, ::1",
	...Object.fromEntries(proxies.map((name) => [name, "http://127.0.0.1:9"])),
	NODE_USE_ENV_PROXY: "1",
	NODE_TLS_REJECT_UNAUTHORIZED: "0",
};
const { path: cwd } = useTemporaryFolder();
const receiver = useReceiver();
let metrics: Awaited<ReturnType<typeof prepareMetrics>>;
const start = async () => {
	metrics = await prepareMetrics();
	return serve(["serve", ...flags, ...metrics.flags], { cwd, env });
};
const resort = useServer(start, {}, ({ stderr }) => expect(stderr).not.toContain("whsec_"));

test("the metrics count delivery attempts, and contain the age of the oldest undelivered message", async () => {
	const scrape = async (name: string) => (await metrics.scrape()).get(name);
	const attempts = (outcome: string) => scrape(`resort_webhook_deliveries_total{outcome="${outcome}"}`);
	const oldest = async () => (await scrape("resort_webhook_oldest_undelivered_seconds")) ?? 0;
	const agent = await resort.register();
	const { key } = agent;
	const body = { url: receiver.url("localhost") };
	const { webhook, secret } = await resort.send("POST", "/api/webhooks", { key, body });
	expect(await oldest()).toBe(0);
	receiver.answer = () => 500;
	await resort.checkIn(agent);
	await until(async () => {
		const { deliveries } = await resort.send("GET", `/api/webhooks/${webhook.id}/deliveries`, { key });
		return deliveries[0]?.attempt === 1;
	});
	expect(await attempts("failed")).toBe(1);
	await until(async () => (await oldest()) > 0);
	receiver.answer = () => 204;
	await resort.send("POST", "/test/clock", { body: { advanceSeconds: 3_600 } });
	await until(async () => (await attempts("delivered")) === 1);
	await until(async () => (await oldest()) === 0);
	receiver.verify(secret);
});

testWith(
	["openssl"],
	"webhooks ignore environment variables that set a proxy or disable the check of certificates",
	async () => {
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
	},
);
