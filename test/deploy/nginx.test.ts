import { describe, expect } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { TemporaryFolder } from "../support/folder.ts";
import { runTool, testsWith } from "../support/tools.ts";
import { until } from "../support/until.ts";
import {
	CLIENT_FIELD,
	freePorts,
	nginxTools,
	type Replacements,
	type Site,
	sites,
	writeNginx,
} from "./nginx.ts";
import { behindProxy, type ThroughNginx, throughNginx } from "./proxied.ts";

const test = testsWith(...nginxTools);

/** The limits in deploy/nginx.conf for one client: requests in a burst, and requests open at one time. */
const BURST = 300;
const CONNECTIONS = 100;

/** The limit on open requests from an IPv6 /48 network in a test; the real limit (1000) is slow to reach. */
const SITE_CONNECTIONS = 120;

/** Replaces the rate limit, so that no request is allowed after a burst until the test ends. */
const NEVER = ["rate=50r/s", "rate=1r/m"] as const;

const HSTS = "max-age=31536000";

/** Returns a function that sends a request from a client address; see {@link CLIENT_FIELD}. */
const callsOf =
	({ resort }: ThroughNginx) =>
	(path: string, address: string) =>
		resort.call("GET", path, { headers: { [CLIENT_FIELD]: address } });

describe("deploy/nginx.conf", () => {
	test("returns 429 with a JSON error to a client that exceeds the burst of requests", async () => {
		await using context = await behind(() => new Response("{}"), [NEVER]);
		const call = callsOf(context);
		for (let count = 0; count <= BURST; count++) {
			expect((await call("/", "192.0.2.1")).status).toBe(200);
		}
		const { status, headers, text } = await call("/", "192.0.2.1");
		expect(status).toBe(429);
		expect(headers.get("retry-after")).toBe("1");
		expect(headers.get("content-type")).toBe("application/json");
		expect(headers.get("strict-transport-security")).toBe(HSTS);
		expect(JSON.parse(text)).toEqual({ error: "Rate limit exceeded" });
		expect((await call("/", "192.0.2.2")).status).toBe(200);
	});

	test("limits the open requests of an IPv6 /64 network, and those of a whole /48 network", async () => {
		const held: (() => void)[] = [];
		const hold = ({ url }: Request) => {
			const { promise, resolve } = Promise.withResolvers<Response>();
			if (url.endsWith("/held")) held.push(() => resolve(new Response("{}")));
			else resolve(new Response("{}"));
			return promise;
		};
		await using context = await behind(hold, [["resort_sites 1000", `resort_sites ${SITE_CONNECTIONS}`]]);
		const call = callsOf(context);
		const calls: Promise<{ status: number }>[] = [];
		const open = async (count: number, address: (index: string) => string) => {
			for (let at = 1; at <= count; at++) calls.push(call("/held", address(at.toString(16))));
			await until(() => held.length === calls.length);
		};
		const statusFor = async (address: string) => (await call("/", address)).status;
		await open(CONNECTIONS, (index) => `2001:db8:a:a::${index}`);
		expect(await statusFor("2001:db8:a:a:a:a:a:a")).toBe(429);
		expect(await statusFor("2001:db8:a:b::1")).toBe(200);
		await open(SITE_CONNECTIONS - CONNECTIONS, (index) => `2001:db8:a:b${index}::1`);
		expect(await statusFor("2001:db8:a:ffff::1")).toBe(429);
		for (const other of ["2001:db8:b:a::1", "192.0.2.1"]) expect(await statusFor(other)).toBe(200);
		for (const release of held) release();
		for (const { status } of await Promise.all(calls)) expect(status).toBe(200);
	});
});

test("deploy/nginx.conf does not buffer the event streams", async () => {
	let heard = Promise.withResolvers<void>();
	await using context = await behind(
		() =>
			new Response(
				new ReadableStream({
					async start(controller) {
						controller.enqueue("id: 1\n\n");
						await heard.promise;
						controller.close();
					},
				}),
				{ headers: { "content-type": "text/event-stream" } },
			),
	);
	for (const path of ["/api/events", "/api/me/events"]) {
		heard = Promise.withResolvers();
		const url = `${context.resort.url}${path}?since=1`;
		const answer = await fetch(url, { tls: { rejectUnauthorized: false } });
		let text = "";
		for await (const chunk of answer.body ?? []) {
			text += Buffer.from(chunk).toString();
			heard.resolve();
		}
		expect(text).toBe("id: 1\n\n");
	}
});

test("deploy/nginx.conf serves ACME challenges over http, and redirects other requests", async () => {
	await using context = await behind(() => new Response("{}"));
	const folder = join(context.folder, "acme/.well-known/acme-challenge");
	mkdirSync(folder, { recursive: true });
	writeFileSync(join(folder, "token"), "token.thumbprint");
	const base = `http://127.0.0.1:${context.httpPort}`;
	const challenge = await fetch(`${base}/.well-known/acme-challenge/token`);
	expect(await challenge.text()).toBe("token.thumbprint");
	const other = await fetch(`${base}/api/lobby?a=b`, { redirect: "manual" });
	expect(other.status).toBe(301);
	expect(other.headers.get("location")).toBe("https://resort.example.com/api/lobby?a=b");
});

describe("nginx", () => {
	for (const [name, instances] of Object.entries(sites)) {
		test(`accepts deploy/${name} without warnings`, async () => {
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

	test("forwards the client's address with deploy/nginx.conf, and ignores X-Forwarded-For from the client", async () => {
		const flags = [
			"--rate-limits=on",
			"--trusted-proxies=127.0.0.1,::1",
			"--base-url=https://resort.example.com",
		];
		await using context = await throughNginx(behindProxy(flags));
		const register = (from: string, forwardedFor?: string) =>
			context.resort.call("POST", "/api/agents", {
				body: {},
				headers: { [CLIENT_FIELD]: from, ...(forwardedFor && { "x-forwarded-for": forwardedFor }) },
			});
		for (let call = 0; call < 5; call++) {
			expect((await register("127.0.0.2")).status).toBe(200);
		}
		expect((await register("127.0.0.2")).status).toBe(429);
		for (const spoof of ["203.0.113.7", "203.0.113.8, 127.0.0.1"]) {
			expect((await register("127.0.0.2", spoof)).status).toBe(429);
		}
		// Each client has its own limit: the calls of other clients, which come through the same proxy, do not
		// reduce it.
		const other = await register("127.0.0.3", "127.0.0.2");
		expect(other.status).toBe(200);
		expect(other.headers.get("ratelimit")).toMatch(/r=4/);
	});
});

/** Starts nginx in front of a server that answers with `fetch`. */
function behind(fetch: (request: Request) => Response | Promise<Response>, others: Replacements = []) {
	return throughNginx(async ([port]) => {
		const server = Bun.serve({ hostname: "127.0.0.1", port: port ?? 0, fetch });
		return () => server.stop(true);
	}, others);
}
