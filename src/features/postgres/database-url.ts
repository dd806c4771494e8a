import { hostName, isLoopback } from "../../core/lib/ip-address.ts";
import { withNearest } from "../../core/lib/nearest-name.ts";
import { wholeNumber } from "../../core/lib/text.ts";

const DEFAULT_PORT = 5432;
const MAX_PORT = 65_535;
const MAX_HOSTS = 10;

/** The maximum number of characters of an invalid word that an error message quotes. */
const MAX_QUOTED = 32;

const sslModes = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"] as const;

/** How the connection is encrypted and the server is verified. The names are libpq's. */
export type SslMode = (typeof sslModes)[number];

/** The accepted values of `target_session_attrs`. A resort always needs a server that accepts writes. */
const writableSessions = ["primary", "read-write"] as const;

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

type Parameters = Partial<Record<Parameter, string>>;

type Pair = readonly [name: string, value: string];

/** Matches a URL, with groups for its user, password, hosts, database and parameters. */
const PARTS =
	/^postgres(?:ql)?:\/\/(?:([^:@/?#]*)(?::([^@/?#]*))?@)?([^@/?#]*)(?:\/([^@?#]*))?(?:\?([^@#]*))?$/;

/** A server of the database. */
export interface PostgresHost {
	/** A name, an IP address without brackets, or the folder of a Unix socket, which begins with a slash. */
	readonly host: string;
	readonly port: number;
}

/** The parts of the URL of a PostgreSQL database. */
export interface PostgresUrl {
	/** The servers are tried in this order until one accepts writes. */
	readonly hosts: readonly PostgresHost[];
	readonly user: string | null;
	readonly password: string | null;
	readonly database: string | null;
	/** The mode in the URL or, if the URL contains none, the default for its hosts. */
	readonly sslmode: SslMode;
	/** The path of a file of certificates, or `system` for the certificates that the system trusts. */
	readonly sslrootcert: string | null;
	readonly applicationName: string | null;
}

/** The reason for refusing a URL. Its message contains no password. */
class UrlFault extends Error {}

/** Returns why {@link parsePostgresUrl} refuses a text; null if it accepts the text. */
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
 * Parses a URL as libpq does (PostgreSQL's manual, "Connection URIs"), but accepts fewer parameters and has a
 * stricter default: the server is verified unless it is on this machine.
 * @throws UrlFault
 */
export function parsePostgresUrl(text: string): PostgresUrl {
	const [match, login = "", secret = "", authority = "", path = "", query = ""] = PARTS.exec(text) ?? [];
	if (match === undefined) {
		throw new UrlFault(
			"must be postgres://USER:PASSWORD@HOST:PORT/NAME; write / ? # @ in a user, password or parameter as %2F %3F %23 %40",
		);
	}
	const parameters = readParameters([
		...(login === "" ? [] : [["user", login] as const]),
		...(secret === "" ? [] : [["password", secret] as const]),
		...(authority === "" ? [] : hostParameters(authority)),
		...(query === "" ? [] : query.split("&").map(splitPair)),
	]);
	const hosts = readHosts(parameters);
	const { user = null, password = null, sslrootcert = null, target_session_attrs } = parameters;
	if (target_session_attrs !== undefined) {
		requireOneOf("target_session_attrs", target_session_attrs, writableSessions);
	}
	const sslmode = effectiveMode(parameters, hosts);
	const applicationName = parameters.application_name ?? null;
	return { hosts, user, password, database: decode(path) || null, sslmode, sslrootcert, applicationName };
}

/** Formats an equivalent URL without the password, always with the port and `sslmode`. */
export function withoutPassword(url: PostgresUrl): string {
	const hasSocket = url.hosts.some(isSocket);
	const parameters = {
		host: hasSocket ? url.hosts.map(({ host }) => host).join() : null,
		port: hasSocket ? url.hosts.map(({ port }) => port).join() : null,
		sslmode: url.sslmode,
		sslrootcert: url.sslrootcert,
		application_name: url.applicationName,
	};
	// Leaves slashes, commas and colons unescaped: they are valid in a query, and common in paths and lists.
	const query = Object.entries(parameters).flatMap(([name, value]) =>
		value === null
			? []
			: `${name}=${encodeURIComponent(value).replaceAll(/%2F|%2C|%3A/g, decodeURIComponent)}`,
	);
	const login = url.user === null ? "" : `${encodeURIComponent(url.user)}@`;
	const authority = hasSocket ? "" : url.hosts.map(formatHost).join();
	const path = encodeURIComponent(url.database ?? "");
	return `postgres://${login}${authority}/${path}?${query.join("&")}`;
}

/** Whether a server is reached through a Unix socket. */
export function isSocket({ host }: PostgresHost): boolean {
	return host.startsWith("/");
}

/** Formats a host for messages. */
export function formatHost({ host, port }: PostgresHost): string {
	return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

/** Converts the hosts in a URL, such as `db1:5432,[::1]:5433`, to the parameters `host` and `port`. */
function hostParameters(authority: string): Pair[] {
	const hosts = authority
		.split(",")
		.map((host) => /^(?:\[([^\]]*)\]|([^:[\]]*))(?::(.*))?$/.exec(host) ?? []);
	return [
		["host", hosts.map(([, address, name = ""]) => address ?? name).join()],
		["port", hosts.map(([, , , port = DEFAULT_PORT]) => port).join()],
	];
}

function splitPair(pair: string): Pair {
	const [, name, value] = /^([^=]+)=(.+)$/.exec(pair) ?? [];
	if (name !== undefined && value !== undefined) return [name, value];
	// The message does not quote the text, which may be part of a password.
	throw new UrlFault("a parameter must be NAME=VALUE");
}

function readParameters(pairs: readonly Pair[]): Parameters {
	const parameters: Parameters = {};
	for (const [text, value] of pairs) {
		const name = requireOneOf("parameter", text, parameterNames);
		if (name in parameters) {
			throw new UrlFault(`${name} is given twice: before the ? and as a parameter, or by two parameters`);
		}
		parameters[name] = decode(value);
	}
	return parameters;
}

/** Combines hosts and ports. As in libpq, a single port applies to all hosts. */
function readHosts({ host: names = "", port = `${DEFAULT_PORT}` }: Parameters): PostgresHost[] {
	const hosts = names.split(",");
	const ports = port.split(",");
	const isPaired = ports.length === 1 || ports.length === hosts.length;
	return hosts.map((host, at) => {
		const isHost = host.startsWith("/") || hostName(host) !== undefined;
		const port = wholeNumber(ports[at] ?? ports[0] ?? "", MAX_PORT, 1);
		if (isHost && port && isPaired && at < MAX_HOSTS) return { host, port };
		throw new UrlFault(
			`must name 1 to ${MAX_HOSTS} hosts, each a name, an IP address (IPv6 in brackets) or, as ?host=/run/postgresql, the folder of a Unix socket, and one port from 1 to ${MAX_PORT} for each or for all`,
		);
	});
}

/**
 * Returns the mode. As in libpq, `sslrootcert=system` requires `verify-full`, and `require` with a file of
 * certificates means `verify-ca`. The default is `prefer` if all hosts are on this machine, else
 * `verify-full`.
 */
function effectiveMode(
	{ sslmode, sslrootcert: authorities }: Parameters,
	hosts: readonly PostgresHost[],
): SslMode {
	const mode = sslmode === undefined ? undefined : requireOneOf("sslmode", sslmode, sslModes);
	if (authorities === "system" && (mode ?? "verify-full") !== "verify-full") {
		throw new UrlFault("sslrootcert=system requires sslmode=verify-full");
	}
	if (mode === "require" && authorities !== undefined) return "verify-ca";
	if (mode !== undefined) return mode;
	const isLocal = hosts.every((host) => isSocket(host) || isLoopback(host.host.toLowerCase()));
	return isLocal && authorities !== "system" ? "prefer" : "verify-full";
}

function requireOneOf<Name extends string>(what: string, text: string, names: readonly Name[]): Name {
	const name = names.find((known) => known === text);
	if (name !== undefined) return name;
	const quoted = JSON.stringify(text.slice(0, MAX_QUOTED));
	throw new UrlFault(
		`unknown ${what} ${withNearest(text, names, quoted)}; must be one of ${names.join(", ")}`,
	);
}

function decode(text: string): string {
	try {
		const decoded = decodeURIComponent(text);
		if (!decoded.includes("\0")) return decoded;
	} catch {
		// The same error is thrown for a malformed escape and for NUL (PostgreSQL accepts NUL nowhere).
	}
	throw new UrlFault("% must begin a percent-encoded character other than NUL");
}
