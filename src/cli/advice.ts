import type { Config } from "../config/config.ts";
import { isLoopback } from "../lib/ip-address.ts";
import type { Finding } from "../store/finding.ts";

/**
 * The advice that an instance logs when it starts. A throwaway one that only this machine reaches gets none: it is
 * for tests.
 */
export function adviseAtStart(config: Config): Finding[] {
	return config.ephemeral && isLoopback(config.host) ? [] : advise(config);
}

/** Warnings about settings that are allowed, but that may let something go wrong. */
export function advise(config: Config): Finding[] {
	const { host, metrics } = config;
	const base = config["base-url"];
	const identity = config["identity-url"];
	const proxies = config["trusted-proxies"];
	const isLimited = config["rate-limits"];
	const warnings: [isSo: boolean, name: string, what: string][] = [
		[
			isLimited && base !== null && isHttps(base) && proxies.length === 0,
			"trusted proxies",
			"an https --base-url means a proxy, and none is in --trusted-proxies: all guests share its limits",
		],
		[
			isLimited && proxies.some(([, prefix]) => prefix === 0),
			"trusted proxies",
			"a range of /0 trusts everyone: any caller may choose the address that limits count by",
		],
		[
			!isLimited && !isLoopback(host),
			"rate limits",
			`off: whoever reaches --host ${host} may register and write without end`,
		],
		[
			base !== null && isOpenHttp(base),
			"base URL",
			"http: keys travel in clear, and browsers take the session cookie over https alone",
		],
		[
			base === null && !isLoopback(host),
			"base URL",
			`--base-url is not set: on --host ${host} the guides tell others an address that they may not reach`,
		],
		[
			metrics && !isLoopback(config["metrics-host"]),
			"metrics",
			`whoever reaches --metrics-host ${config["metrics-host"]} may read them`,
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
		.filter(([isSo]) => isSo)
		.map(([, name, what]) => ({ level: "warn", name, what }));
}

function isHttps(url: string): boolean {
	return new URL(url).protocol === "https:";
}

function isOpenHttp(url: string): boolean {
	return !isHttps(url) && !isLoopback(new URL(url).hostname);
}
