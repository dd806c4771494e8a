import { hostName, isLoopback } from "../../lib/ip-address.ts";
import { withNearest } from "../../lib/nearest-name.ts";
import { wholeNumber } from "../../lib/text.ts";

const DEFAULT_PORT = 5432;
const MAX_PORT = 65_535;
const MAX_HOSTS = 10;

/** How much of a wrong word an error quotes. */
const MAX_QUOTED = 32;

const sslModes = [
	"disable",
	"allow",
	"prefer",
	"require",
	"verify-ca",
	"verify-full",
] as const;

/** How a connection is encrypted and the server verified, with libpq's names. */
export type SslMode = (typeof sslModes)[number];

const parameterNames = [
	"application_name",
	"host",
	"password",
	"port",
	"sslmode",
	"sslrootcert",
	"target_session_attrs",
	"user",
] as const;

type Parameter = (typeof parameterNames)[number];

type Parameters = ReadonlyMap<Parameter, string>;

/** A resort writes: these two values change nothing, the others contradict it. */
const writableSessions = ["primary", "read-write"];

const PARTS =
	/^postgres(?:ql)?:\/\/(?:([^@/?#]*)@)?([^@/?#]*)(?:\/([^@?#]*))?(?:\?([^@#]*))?$/;

/** A server of the database. */
export interface PostgresHost {
	/** A name, an IP address without brackets, or the folder of a Unix socket. */
	readonly host: string;
	readonly port: number;
	/** The path of the Unix socket; null for TCP. */
	readonly socket: string | null;
}

type PostgresHosts = readonly [PostgresHost, ...PostgresHost[]];

/** The parts of the URL of a PostgreSQL database. */
export interface PostgresUrl {
	/** Tried in this order until one accepts writes. */
	readonly hosts: PostgresHosts;
	readonly user: string | null;
	readonly password: string | null;
	readonly database: string | null;
	/** The effective mode, also if the URL has none. */
	readonly sslmode: SslMode;
	/** A file of certificates, or `system`. */
	readonly sslrootcert: string | null;
	readonly applicationName: string | null;
}

/** Why a URL is refused. The message contains no password. */
class UrlFault extends Error {}

/** Why {@link parsePostgresUrl} refuses a text; null if it does not. */
export function urlFault(text: string): string | null {
	try {
		parsePostgresUrl(text);
		return null;
	} catch (error) {
		if (error instanceof UrlFault) return error.message;
		throw error;
	}
}

/**
 * Parses a URL as libpq does (PostgreSQL's manual, "Connection URIs"), with fewer parameters and a stricter default:
 * the server is verified unless it is on this machine.
 * @throws UrlFault
 */
export function parsePostgresUrl(text: string): PostgresUrl {
	const [match, login = "", authority = "", path = "", query = ""] =
		PARTS.exec(text) ?? [];
	if (match === undefined) {
		throw new UrlFault(
			"must be postgres://USER:PASSWORD@HOST:PORT/NAME; write / ? # @ in a user, password or parameter as %2F %3F %23 %40",
		);
	}
	const parameters = readParameters(query);
	const [user = "", ...password] = login.split(":");
	const hosts = readHosts(authority, parameters);
	const sslrootcert = parameters.get("sslrootcert") ?? null;
	const attributes = parameters.get("target_session_attrs");
	if (attributes !== undefined && !writableSessions.includes(attributes)) {
		throw new UrlFault(
			`target_session_attrs must be ${writableSessions.join(" or ")}: a resort writes`,
		);
	}
	return {
		hosts,
		user: fromEither("user", user, parameters),
		password: fromEither("password", password.join(":"), parameters),
		database: decode(path) || null,
		sslmode: effectiveMode(parameters.get("sslmode"), hosts, sslrootcert),
		sslrootcert,
		applicationName: parameters.get("application_name") ?? null,
	};
}

/** Formats an equivalent URL without the password. It names port and mode even if the original did not. */
export function withoutPassword(url: PostgresUrl): string {
	const { hosts, user, database, sslmode, sslrootcert } = url;
	const hasSocket = hosts.some(({ socket }) => socket !== null);
	const parameters: [Parameter, string | null][] = [
		["host", hasSocket ? hosts.map(({ host }) => host).join() : null],
		["port", hasSocket ? hosts.map(({ port }) => port).join() : null],
		["sslmode", sslmode],
		["sslrootcert", sslrootcert],
		["application_name", url.applicationName],
	];
	// Slashes, commas and colons are common in paths and lists, and valid in a query.
	const query = parameters.flatMap(([name, value]) =>
		value === null
			? []
			: [
					`${name}=${encodeURIComponent(value).replaceAll(/%2F|%2C|%3A/g, decodeURIComponent)}`,
				],
	);
	const login = user === null ? "" : `${encodeURIComponent(user)}@`;
	const authority = hasSocket ? "" : hosts.map(formatHost).join();
	const path = encodeURIComponent(database ?? "");
	return `postgres://${login}${authority}/${path}?${query.join("&")}`;
}

/** Formats a host for messages. */
export function formatHost({ host, port, socket }: PostgresHost): string {
	return (
		socket ?? (host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`)
	);
}

function readParameters(query: string): Parameters {
	const parameters = new Map<Parameter, string>();
	for (const pair of query === "" ? [] : query.split("&")) {
		const [, text, value] = /^([^=]+)=(.+)$/.exec(pair) ?? [];
		// Not quoted: it may be a part of a password.
		if (text === undefined || value === undefined) {
			throw new UrlFault("a parameter must be NAME=VALUE");
		}
		const name = requireOneOf("parameter", text, parameterNames);
		if (parameters.has(name)) throw new UrlFault(`${name} is given twice`);
		parameters.set(name, decode(value));
	}
	return parameters;
}

/** Hosts are either in the authority or, with their ports, in parameters. */
function readHosts(authority: string, parameters: Parameters): PostgresHosts {
	const host = parameters.get("host");
	const port = parameters.get("port");
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

/** In the authority the folder of a socket is percent-encoded, and an IPv6 address has brackets. */
function readHost(text: string): PostgresHost {
	const [, host = "", port] =
		/^(\[[^\]]*\]|[^:[\]]*)(?::(.*))?$/.exec(text) ?? [];
	return makeHost(decode(host.replace(/^\[(.*)\]$/, "$1")), port);
}

/** A single port is that of all hosts, as in libpq. */
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

/** A value that may be in the login or in a parameter. An empty one counts as absent. */
function fromEither(
	name: Parameter,
	login: string,
	parameters: Parameters,
): string | null {
	const parameter = parameters.get(name);
	if (login !== "" && parameter !== undefined) {
		throw new UrlFault(`${name} is given twice`);
	}
	return parameter ?? (decode(login) || null);
}

/** As in libpq, `system` goes only with `verify-full`, and `require` with a file of certificates is `verify-ca`. */
function effectiveMode(
	text: string | undefined,
	hosts: PostgresHosts,
	sslrootcert: string | null,
): SslMode {
	const mode =
		text === undefined ? undefined : requireOneOf("sslmode", text, sslModes);
	if (sslrootcert === "system") {
		if ((mode ?? "verify-full") === "verify-full") return "verify-full";
		throw new UrlFault("sslrootcert=system goes only with sslmode=verify-full");
	}
	if (mode === "require" && sslrootcert !== null) return "verify-ca";
	const isLocal = hosts.every(
		({ host, socket }) => socket !== null || isLoopback(host.toLowerCase()),
	);
	return mode ?? (isLocal ? "prefer" : "verify-full");
}

function requireOneOf<Name extends string>(
	what: string,
	text: string,
	names: readonly Name[],
): Name {
	const name = names.find((known) => known === text);
	if (name !== undefined) return name;
	const quoted = JSON.stringify(text.slice(0, MAX_QUOTED));
	throw new UrlFault(
		`unknown ${what} ${withNearest(text, names, quoted)}; known are ${names.join(", ")}`,
	);
}

function decode(text: string): string {
	try {
		const decoded = decodeURIComponent(text);
		if (!decoded.includes("\0")) return decoded;
	} catch {
		// The error below covers NUL, which PostgreSQL accepts nowhere, and malformed escapes.
	}
	throw new UrlFault("% must begin a percent-encoded character other than NUL");
}
