import type { Config } from "../config/config.ts";
import { isLoopback } from "../lib/ip-address.ts";
import type { CheckResult } from "../store/check-result.ts";

/** Returns the warnings that an instance logs at its start. An ephemeral one on loopback is for tests and logs none. */
export function adviseAtStart(config: Config): CheckResult[] {
	return config.ephemeral && isLoopback(config.host) ? [] : advise(config);
}

/** Returns warnings about settings that are allowed but may be wrong. */
export function advise(config: Config): CheckResult[] {
	const { host, metrics } = config;
	const base = config["base-url"];
	const identity = config["identity-url"];
	const proxies = config["trusted-proxies"];
	const isLimited = config["rate-limits"];
	const warnings: [applies: boolean, name: string, what: string][] = [
		[
			isLimited && base !== null && isHttps(base) && proxies.length === 0,
			"trusted proxies",
			"an https --base-url means a proxy, and none is in --trusted-proxies: all agents share its limits",
		],
		[
			isLimited && proxies.some(([, prefix]) => prefix === 0),
			"trusted proxies",
			"a range of /0 trusts everyone: any caller may choose the address that limits count by",
		],
		[
			!isLimited && !isLoopback(host),
			"rate limits",
			`off: everyone who reaches --host ${host} may register and write without limit`,
		],
		[
			base !== null && isOpenHttp(base),
			"base URL",
			"http: keys travel in clear, and browsers take the session cookie over https alone",
		],
		[
			base === null && !isLoopback(host),
			"base URL",
			`--base-url is not set: on --host ${host} the guides show an address that others may not reach`,
		],
		[
			metrics && !isLoopback(config["metrics-host"]),
			"metrics",
			`everyone who reaches --metrics-host ${config["metrics-host"]} may read them`,
		],
		[
			metrics &&
				host === config["metrics-host"] &&
				config.port === config["metrics-port"] &&
				config.port !== 0,
			"metrics",
			`--metrics-port is --port ${config.port}, on the same host: it cannot listen there`,
		],
		[
			identity !== null && isOpenHttp(identity),
			"identity",
			"--identity-url is http: central keys travel to the provider in clear",
		],
		[
			identity !== null && base === null,
			"identity",
			"--base-url is not set: calls that the provider signs for the public address are refused",
		],
	];
	return warnings
		.filter(([applies]) => applies)
		.map(([, name, what]) => ({ level: "warn", name, what }));
}

function isHttps(url: string): boolean {
	return new URL(url).protocol === "https:";
}

function isOpenHttp(url: string): boolean {
	return !isHttps(url) && !isLoopback(new URL(url).hostname);
}
