import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isTaken, steadyPort } from "../../../support/ports.ts";
import { toolPath } from "../../../support/tools.ts";
import { until } from "../../../support/until.ts";
import { asUser } from "../../../support/user.ts";
import { serverEnvironment } from "./home.ts";
import { portOf } from "./shared.ts";

/**
 * Starts PgBouncer with its defaults in front of a server.
 * @param settings lines that override the defaults, such as `pool_mode = transaction`
 * @returns the address of the database through PgBouncer
 */
export async function startPgBouncer(url: string, ...settings: string[]) {
	const folder = mkdtempSync(join(tmpdir(), "resort-pgbouncer-"));
	const port = await steadyPort();
	const file = join(folder, "pgbouncer.ini");
	writeFileSync(
		file,
		[
			"[databases]",
			`* = host=127.0.0.1 port=${portOf(url)} user=resort`,
			"[pgbouncer]",
			`listen_addr = 127.0.0.1\nlisten_port = ${port}\nunix_socket_dir =`,
			"auth_type = any\nauth_file = /dev/null",
			...settings,
		].join("\n"),
	);
	const before = asUser(folder, file);
	const child = Bun.spawn([...before, toolPath("pgbouncer") ?? "", file], {
		env: serverEnvironment,
		stdout: "ignore",
		stderr: "ignore",
	});
	await until(() => isTaken(port));
	const through = new URL(url);
	through.port = `${port}`;
	return {
		url: through.href,
		async [Symbol.asyncDispose]() {
			child.kill("SIGKILL");
			await child.exited;
			rmSync(folder, { recursive: true });
		},
	};
}
