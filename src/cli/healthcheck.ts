import { Value } from "@sinclair/typebox/value";
import { baseAddress, type Flags, readSettings, settings } from "../config.ts";
import { StartError } from "../errors.ts";
import { HealthAnswer } from "../health/model.ts";
import { SECOND_MS } from "../lib/clock.ts";
import { localAddress } from "./address.ts";
import { parseFlags } from "./flags.ts";

/** How long an instance may take to answer. */
const TIMEOUT_MS = 5 * SECOND_MS;

/** The flags of `resort healthcheck`. */
export const healthcheckFlags = {
	url: { value: "URL", help: "address of the instance" },
	host: { ...settings.host, help: "host that the instance listens on" },
	port: { ...settings.port, help: "port that the instance listens on" },
};

/**
 * `resort healthcheck`: asks a running instance for its health.
 * @throws StartError with exit code 1 when it is not healthy
 */
export async function healthcheck(args: readonly string[]): Promise<void> {
	const { url, ...flags } = parseFlags(args, healthcheckFlags);
	const base = url === undefined ? configuredAddress(flags) : baseAddress(url);
	if (base === undefined) {
		throw new StartError(
			"--url: must be an http:// or https:// URL without credentials, query or fragment",
			2,
		);
	}
	const asked = `${base}/api/health`;
	const response = await fetch(asked, {
		signal: AbortSignal.timeout(TIMEOUT_MS),
	}).catch((error: unknown) => {
		const code = error instanceof Error && "code" in error ? error.code : error;
		throw new StartError(`${asked} does not answer (${code})`, 1);
	});
	if (!response.ok) {
		throw new StartError(`${asked} answers ${response.status}`, 1);
	}
	const body: unknown = await response.json().catch(() => null);
	if (!Value.Check(HealthAnswer, body)) {
		throw new StartError(`${asked} is not a resort's`, 1);
	}
}

function configuredAddress(flags: Flags): string {
	const { host, port } = readSettings(["host", "port"], flags, process.env);
	if (port === 0) {
		throw new StartError("--port 0 is any port: give --url", 2);
	}
	return localAddress(host, port);
}
