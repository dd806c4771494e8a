import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { makeCertificate } from "../support/certificate.ts";
import { isTaken, steadyPort } from "../support/ports.ts";
import { runTool, toolPath } from "../support/tools.ts";

/** The programs that a test with nginx requires: nginx, and `openssl` for its certificate. */
export const nginxTools = ["nginx", "openssl"];

const deploy = join(import.meta.dir, "../../deploy");

/** The configurations in deploy/, each with the number of resort instances behind nginx. */
export const sites = { "nginx.conf": 1, "nginx.postgres.conf": 3 } as const;

/** The name of a configuration in deploy/. */
export type Site = keyof typeof sites;

/** Texts that a test replaces in a configuration. */
export type Replacements = readonly (readonly [from: string, to: string])[];

/**
 * The header field from which nginx reads the client address in tests. The real address is always 127.0.0.1.
 */
export const CLIENT_FIELD = "x-test-client";

/**
 * Writes a configuration from deploy/, changed so that nginx can run it in a test. Returns the path of the
 * main configuration.
 */
export async function writeNginx(
	folder: string,
	site: Site,
	ports: { readonly http: number; readonly https: number; readonly resort: readonly number[] },
	others: Replacements = [],
): Promise<string> {
	const { key, cert } = await makeCertificate("localhost", 1);
	await Bun.write(join(folder, "privkey.pem"), key);
	await Bun.write(join(folder, "fullchain.pem"), cert);
	const replaced: Replacements = [
		["/etc/ssl/resort", folder],
		["/var/www/acme", join(folder, "acme")],
		["listen 80;", `listen 127.0.0.1:${ports.http};`],
		["listen 443 ssl", `listen 127.0.0.1:${ports.https} ssl`],
		// Removed, because not every machine that runs tests has IPv6.
		["listen [::]:80;", ""],
		["listen [::]:443 ssl http2;", ""],
		...others,
	];
	const left = [...ports.resort];
	let text = (await Bun.file(join(deploy, site)).text()).replaceAll(
		/(?<=^\tserver )[\d.]+:3000/gm,
		() => `127.0.0.1:${left.shift()}`,
	);
	for (const [from, to] of replaced) {
		if (!text.includes(from)) throw new Error(`${site} has no ${from}`);
		text = text.replaceAll(from, to);
	}
	await Bun.write(join(folder, "site.conf"), text);
	const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
	for (const name of temporary) mkdirSync(join(folder, name));
	const main = `
daemon off;
master_process off;
pid ${folder}/nginx.pid;
error_log stderr;
events {
	worker_connections 768;
}
http {
	access_log off;
	gzip on;
	set_real_ip_from 127.0.0.1;
	real_ip_header ${CLIENT_FIELD};
	${temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join("\n\t")}
	include ${folder}/site.conf;
}
`;
	const path = join(folder, "nginx.conf");
	await Bun.write(path, main);
	const edit = editOf(text).replace("/etc/nginx/nginx.conf", path);
	await runTool("sh", ["-c", edit]);
	return path;
}

/** Finds the command that edits nginx's main configuration, in a comment of the configuration text `site`. */
export function editOf(site: string): string {
	return /^#\s+sudo (sed .*nginx\.conf)$/m.exec(site)?.[1] ?? "";
}

/** Starts nginx and waits until it accepts connections. */
export async function startNginx(
	configuration: string,
	httpsPort: number,
): Promise<{ stop(): Promise<void> }> {
	const child = Bun.spawn([toolPath("nginx") ?? "nginx", "-e", "stderr", "-c", configuration], {
		stdout: "ignore",
		stderr: "pipe",
	});
	while (!(await isTaken(httpsPort))) {
		if (child.exitCode !== null) {
			throw new Error(await new Response(child.stderr).text());
		}
		await Bun.sleep(10);
	}
	return {
		async stop() {
			// nginx may miss a SIGTERM that arrives just before nginx waits for events, and would then never end.
			child.kill("SIGKILL");
			await child.exited;
		},
	};
}

/** Returns free ports at 127.0.0.1. */
export async function freePorts(count: number): Promise<number[]> {
	const ports = new Set<number>();
	while (ports.size < count) ports.add(await steadyPort());
	return [...ports];
}
