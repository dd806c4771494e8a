import { describe, expect } from "bun:test";
import { TemporaryFolder } from "../support/folder.ts";
import { runTool, testsWith } from "../support/tools.ts";
import { freePorts, nginxTools, type Site, sites, writeNginx } from "./nginx.ts";
import { behindProxy, throughNginx } from "./proxied.ts";

const test = testsWith(...nginxTools);

describe("deploy/nginx.conf", () => {
	for (const [name, instances] of Object.entries(sites)) {
		test(`nginx accepts ${name} without warnings`, async () => {
			using folder = new TemporaryFolder();
			const [http = 0, https = 0, ...resort] = await freePorts(2 + instances);
			const ports = { http, https, resort };
			const path = await writeNginx(folder.path, name as Site, ports);
			const { exitCode, output } = await runTool("nginx", ["-e", "stderr", "-t", "-c", path]);
			expect(output).not.toContain("[warn]");
			expect(output).toContain("test is successful");
			expect(exitCode).toBe(0);
		});
	}

	test("forwards the client's address, and ignores X-Forwarded-For of the client", async () => {
		const flags = [
			"--rate-limits=on",
			"--trusted-proxies=127.0.0.1,::1",
			"--base-url=https://resort.example.com",
		];
		await using context = await throughNginx(behindProxy(flags));
		const register = (from: string, forwardedFor?: string) =>
			context.call("POST", "/api/agents", {
				from,
				body: "{}",
				...(forwardedFor && { headers: { "x-forwarded-for": forwardedFor } }),
			});
		for (let call = 0; call < 5; call++) {
			expect((await register("127.0.0.2")).status).toBe(200);
		}
		expect((await register("127.0.0.2")).status).toBe(429);
		for (const spoof of ["203.0.113.7", "203.0.113.8, 127.0.0.1"]) {
			expect((await register("127.0.0.2", spoof)).status).toBe(429);
		}
		// The limit applies to each client, not to the proxy. Calls of one client do not reduce the limit of
		// another.
		const other = await register("127.0.0.3", "127.0.0.2");
		expect(other.status).toBe(200);
		expect(other.headers.ratelimit).toMatch(/r=4/);
	});
});
