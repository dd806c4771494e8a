import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { networkInterfaces } from "node:os";
import { KEY, Provider, SECRET } from "../features/identity-provider/provider.ts";
import { useFreshFolder } from "../support/folder.ts";

const folder = useFreshFolder();

/** The requests that arrive at the proxy. */
const proxied: string[] = [];
const proxy = Bun.serve({
	port: 0,
	fetch({ url }) {
		proxied.push(url);
		return Response.json({ ok: true, status: "healthy" });
	},
});
afterAll(() => proxy.stop(true));
beforeEach(() => {
	proxied.length = 0;
});

const address = `http://127.0.0.1:${proxy.port}`;

const other = Object.values(networkInterfaces())
	.flatMap((all) => all ?? [])
	.find(({ internal, family }) => !internal && family === "IPv4")?.address;
const isAlone = other === undefined;

describe("the proxy in HTTP_PROXY and ALL_PROXY", () => {
	const names = ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"];
	const env = Object.fromEntries(names.map((name) => [name, address]));

	async function expectNoProxy(host: string): Promise<void> {
		await using instance = await folder.serve(["--ephemeral", "--host", host]);
		const at = ["--host", host, "--port", `${instance.port}`];
		for (const to of [at, ["--url", instance.url]]) await folder.succeed(["healthcheck", ...to], { env });
		const { checks } = await folder.doctor(["--base-url", instance.url, ...at], { env });
		expect(checks.instance).toStartWith("ok ");
		expect(checks["public address"]).toStartWith("ok ");
		expect(proxied).toEqual([]);
	}

	test.each(["127.0.0.1", "localhost"])(
		"is not used by healthcheck and doctor for an instance at %s",
		expectNoProxy,
	);

	test.skipIf(isAlone)(
		`is not used by healthcheck and doctor for an instance at another address of this machine${isAlone ? " (needs a network interface with IPv4)" : ""}`,
		() => expectNoProxy(`${other}`),
	);

	test("is not used by an instance for an identity provider on this machine", async () => {
		await using provider = new Provider();
		provider.answer = () => Response.json({ active: false });
		const flags = [`--identity-url=${provider.url}`, `--identity-secret=${SECRET}`];
		await using instance = await folder.serve(["--ephemeral", ...flags], { env });
		await instance.send("GET", "/api/health?deep=1");
		await instance.me({ key: KEY });
		expect({ asked: provider.asked.length, proxied }).toEqual({ asked: 2, proxied: [] });
	});
});

test("healthcheck uses the proxy in HTTP_PROXY if `--url` is on another machine", async () => {
	const url = "http://resort.example";
	await folder.succeed(["healthcheck", "--url", url], { env: { HTTP_PROXY: address } });
	expect(proxied).toEqual([`${url}/api/health`]);
});
