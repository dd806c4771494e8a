import { readFileSync } from "node:fs";
import { join } from "node:path";
import { answers } from "../features/testing/testing-module/project.ts";
import { RemoteResort } from "../support/calls.ts";
import { root } from "../support/documents.ts";
import { serve } from "../support/executable.ts";
import { TemporaryFolder } from "../support/folder.ts";
import { toolPath } from "../support/tools.ts";
import { until } from "../support/until.ts";
import { freePorts, type Replacements, type Site, sites, startNginx, writeNginx } from "./nginx.ts";

/** Starts the servers behind a proxy at these ports. Returns a function that stops them. */
export type StartBehind = (ports: readonly number[], folder: string) => Promise<() => Promise<unknown>>;

/** A running nginx in front of a server. */
export type ThroughNginx = Awaited<ReturnType<typeof throughNginx>>;

/** Starts nginx with a configuration from deploy/. */
export async function throughNginx(
	behind: StartBehind,
	others: Replacements = [],
	site: Site = "nginx.conf",
) {
	await using opened = new AsyncDisposableStack();
	const folder = opened.use(new TemporaryFolder()).path;
	const [http = 0, https = 0, ...resort] = await freePorts(2 + sites[site]);
	const stop = await behind(resort, folder);
	opened.defer(async () => void (await stop()));
	const path = await writeNginx(folder, site, { http, https, resort }, others);
	const nginx = await startNginx(path, https);
	opened.defer(() => nginx.stop());
	const open = opened.move();
	return {
		resort: new RemoteResort(`https://127.0.0.1:${https}`, { tls: { rejectUnauthorized: false } }),
		httpPort: http,
		folder,
		[Symbol.asyncDispose]: () => open.disposeAsync(),
	};
}

/** Starts Caddy with deploy/Caddyfile, but without TLS. */
export async function throughCaddy(behind: StartBehind) {
	await using opened = new AsyncDisposableStack();
	const folder = opened.use(new TemporaryFolder());
	const [port, own = 0] = await freePorts(2);
	const stop = await behind([own], folder.path);
	opened.defer(async () => void (await stop()));
	const url = `http://127.0.0.1:${port}`;
	const configuration = readFileSync(join(root, "deploy/Caddyfile"), "utf8")
		.replace(/^\{$/m, "{\n\tadmin off")
		.replace(/^resort\.example\.com \{$/m, `${url} {`)
		.replace("127.0.0.1:3000", `127.0.0.1:${own}`);
	const args = ["run", "--adapter", "caddyfile", "--config", folder.write(configuration, "Caddyfile")];
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
	return { resort: new RemoteResort(url), [Symbol.asyncDispose]: () => open.disposeAsync() };
}

/** Starts an ephemeral resort with these flags. */
export function behindProxy(flags: readonly string[]): StartBehind {
	return async ([port], cwd) => (await serve(["--ephemeral", `--port=${port}`, ...flags], { cwd })).stop;
}
