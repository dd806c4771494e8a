import { hostName } from "../../../lib/ip-address.ts";
import { wholeNumber } from "../../../lib/text.ts";
import { decode, UrlFault } from "./fault.ts";

/** A server of the database. */
export interface PostgresHost {
	/** A name, an IP address without brackets, or the folder of a Unix socket. */
	readonly host: string;
	readonly port: number;
	/** The whole path of the Unix socket; null for TCP. */
	readonly socket: string | null;
}

/** Some hosts, at least one. */
export type PostgresHosts = readonly [PostgresHost, ...PostgresHost[]];

/** What stands for the hosts in a URL: before the `?`, or as parameters behind it. */
export interface HostTexts {
	readonly authority: string;
	readonly host: string | undefined;
	readonly port: string | undefined;
}

const DEFAULT_PORT = 5432;
const MAX_PORT = 65_535;
const MAX_HOSTS = 10;

/**
 * Reads the hosts of a URL.
 * @throws UrlFault when there is none, there are too many, or one is wrong
 */
export function readHosts({ authority, host, port }: HostTexts): PostgresHosts {
	if (authority !== "" && (host ?? port) !== undefined) {
		throw new UrlFault("host and port stand before the ? or behind it");
	}
	const [first, ...others] =
		host === undefined
			? authority.split(",").map(readHost)
			: pairHosts(host.split(","), port?.split(",") ?? []);
	if (first === undefined || others.length >= MAX_HOSTS) {
		throw new UrlFault(`must name at most ${MAX_HOSTS} hosts`);
	}
	return [first, ...others];
}

/** A host as it stands before the `?`: the folder of a socket is percent-encoded, an IPv6 address has brackets. */
function readHost(text: string): PostgresHost {
	const [, host = "", port] =
		/^(\[[^\]]*\]|[^:[\]]*)(?::(.*))?$/.exec(text) ?? [];
	return makeHost(decode(host.replace(/^\[(.*)\]$/, "$1")), port);
}

/** One port is that of all hosts, as in libpq. */
function pairHosts(hosts: string[], ports: string[]): PostgresHost[] {
	if (ports.length > 1 && ports.length !== hosts.length) {
		throw new UrlFault(
			"port must be one number, or as many as there are hosts",
		);
	}
	return hosts.map((host, at) => makeHost(host, ports[at] ?? ports[0]));
}

function makeHost(host: string, portText: string | undefined): PostgresHost {
	const isFolder = host.startsWith("/");
	if (!isFolder && hostName(host) === undefined) {
		throw new UrlFault(
			"must name a host, an IP address (IPv6 in brackets) or, as ?host=/run/postgresql, the folder of a Unix socket",
		);
	}
	const port =
		portText === undefined ? DEFAULT_PORT : wholeNumber(portText, MAX_PORT, 1);
	if (port === undefined) {
		throw new UrlFault(`port must be a whole number from 1 to ${MAX_PORT}`);
	}
	const folder = host.replace(/\/+$/, "");
	return { host, port, socket: isFolder ? `${folder}/.s.PGSQL.${port}` : null };
}
