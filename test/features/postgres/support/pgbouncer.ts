import { TemporaryFolder } from "../../../support/folder.ts";
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
	const folder = new TemporaryFolder();
	const port = await steadyPort();
	const lines = [
		"[databases]",
		`* = host=127.0.0.1 port=${portOf(url)} user=resort`,
		"[pgbouncer]",
		`listen_addr = 127.0.0.1\nlisten_port = ${port}\nunix_socket_dir =`,
		"auth_type = any\nauth_file = /dev/null",
		...settings,
	];
	const file = folder.write(lines.join("\n"), "pgbouncer.ini");
	const before = asUser(folder.path, file);
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
			folder[Symbol.dispose]();
		},
	};
}
