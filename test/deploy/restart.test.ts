import { expect } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { answers } from "../features/testing/testing-module/project.ts";
import { root } from "../support/documents.ts";
import { TemporaryFolder } from "../support/folder.ts";
import { testWith, toolPath } from "../support/tools.ts";
import { until } from "../support/until.ts";
import { freePorts, nginxTools } from "./nginx.ts";
import { Restarting, throughNginx } from "./proxied.ts";
import { callPlain, expectUnharmed } from "./waiting.ts";

const CALLERS = 4;
const PAUSE_MS = 60;

/**
 * Sends requests through a proxy while the resort restarts. Expects that each response is a success or a 503
 * in the form of the resort.
 */
async function expectOnlyUnavailable(url: string, resort: Restarting) {
	const statuses = new Map<number, number>();
	let isOver = false;
	const callers = Array.from({ length: CALLERS }, async () => {
		while (!isOver) {
			const response = await fetch(`${url}/api/lobby`, { tls: { rejectUnauthorized: false } });
			const { status, headers } = response;
			statuses.set(status, (statuses.get(status) ?? 0) + 1);
			const body = await response.json();
			if (status !== 200) {
				expect(status).toBe(503);
				expect(headers.get("content-type")).toBe("application/json");
				expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
				expect(body).toHaveProperty("error");
			}
			await Bun.sleep(PAUSE_MS);
		}
	});
	await resort.restart(500);
	const before = statuses.get(200) ?? 0;
	await until(() => (statuses.get(200) ?? 0) > before + CALLERS);
	isOver = true;
	await Promise.all(callers);
	expect(statuses.get(503)).toBeGreaterThan(0);
}

/** Starts nginx with deploy/nginx.conf in front of a resort with these flags. */
async function throughSite(resort: Restarting, flags: readonly string[] = []) {
	const start = (port: number, cwd: string) => resort.start(port, cwd, flags);
	const proxied = await throughNginx(start, flags.length > 0 ? [["rate=50r/s", "rate=5000r/s"]] : []);
	const url = `https://127.0.0.1:${proxied.httpsPort}`;
	return { url, call: proxied.call, [Symbol.asyncDispose]: () => proxied[Symbol.asyncDispose]() };
}

/** Starts Caddy with deploy/Caddyfile, but without TLS, in front of a resort with these flags. */
async function throughCaddy(resort: Restarting, flags: readonly string[] = []) {
	await using opened = new AsyncDisposableStack();
	const folder = opened.use(new TemporaryFolder());
	const [port = 0, own = 0] = await freePorts(2);
	const stop = await resort.start(own, folder.path, flags);
	opened.defer(async () => void (await stop()));
	const url = `http://127.0.0.1:${port}`;
	const text = readFileSync(join(root, "deploy/Caddyfile"), "utf8")
		.replace(/^\{$/m, "{\n\tadmin off")
		.replace(/^resort\.example\.com \{$/m, `${url} {`)
		.replace("127.0.0.1:3000", `127.0.0.1:${own}`);
	const configuration = join(folder.path, "Caddyfile");
	writeFileSync(configuration, text);
	const args = ["run", "--adapter", "caddyfile", "--config", configuration];
	const caddy = Bun.spawn([toolPath("caddy") ?? "", ...args], {
		env: { HOME: folder.path },
		stdout: "ignore",
		stderr: "ignore",
	});
	opened.defer(async () => {
		caddy.kill();
		await caddy.exited;
	});
	await until(() => answers(url));
	const open = opened.move();
	return { url, call: callPlain(url), [Symbol.asyncDispose]: () => open.disposeAsync() };
}

const FOR_WAITING = ["--rate-limits=off", "--webhooks=on", "--webhooks-allow=127.0.0.1"];

for (const [file, tools, start] of [
	["deploy/nginx.conf", nginxTools, throughSite],
	["deploy/Caddyfile", ["caddy"], throughCaddy],
] as const) {
	testWith(tools, `${file} returns only 503 with Retry-After during a restart`, async () => {
		const resort = new Restarting();
		await using proxied = await start(resort);
		await expectOnlyUnavailable(proxied.url, resort);
	});

	testWith(tools, `with ${file}, waiting and unanswered calls do not affect other clients`, async () => {
		await using proxied = await start(new Restarting(), FOR_WAITING);
		await expectUnharmed(proxied.call);
	});
}
