import { isLoopback } from "../../../lib/ip-address.ts";
import { withNearest } from "../../../lib/nearest-name.ts";
import { decode, quote, UrlFault } from "./fault.ts";
import { type PostgresHost, type PostgresHosts, readHosts } from "./hosts.ts";

/** How a connection is encrypted and the server verified, as libpq names it. */
const sslModes = [
	"disable",
	"allow",
	"prefer",
	"require",
	"verify-ca",
	"verify-full",
] as const;

/** A mode of TLS, as libpq names it. */
export type SslMode = (typeof sslModes)[number];

/** What the URL of a PostgreSQL database says. */
export interface PostgresUrl {
	/** They are tried in this order, until one takes writes. */
	readonly hosts: PostgresHosts;
	readonly user: string | null;
	readonly password: string | null;
	readonly database: string | null;
	/** The mode in force, also when the URL names none. */
	readonly sslmode: SslMode;
	/** A file of certificates, or `system`. */
	readonly sslrootcert: string | null;
	readonly applicationName: string | null;
}

/** The parameters that may stand behind the `?`. */
const parameters = [
	"application_name",
	"host",
	"password",
	"port",
	"sslmode",
	"sslrootcert",
	"target_session_attrs",
	"user",
] as const;

/** A parameter that may stand behind the `?`. */
export type Parameter = (typeof parameters)[number];

type Parameters = ReadonlyMap<Parameter, string>;

/** A resort writes, so these two say what it does anyway, and the others would be wrong. */
const writableSessions = ["primary", "read-write"];

const PARTS =
	/^postgres(?:ql)?:\/\/(?:([^@/?#]*)@)?([^@/?#]*)(?:\/([^@?#]*))?(?:\?([^@#]*))?$/;

/** Whether a value of `--database` means PostgreSQL; it may be a faulty URL all the same. */
export function isPostgres(database: string): boolean {
	return /^postgres(ql)?:\/\//.test(database);
}

/**
 * Reads a URL as libpq does (PostgreSQL's manual, "Connection URIs"), with fewer parameters and a stricter preset: the
 * server is verified unless it is on this machine.
 * @throws UrlFault that says what is wrong and shows no password
 */
export function parsePostgresUrl(text: string): PostgresUrl {
	const [match, login = "", authority = "", path = "", query = ""] =
		PARTS.exec(text) ?? [];
	if (match === undefined) {
		throw new UrlFault(
			"must be postgres://USER:PASSWORD@HOST:PORT/NAME; write / ? # @ in a user, password or parameter as %2F %3F %23 %40",
		);
	}
	const given = readParameters(query);
	const [user = "", ...password] = login.split(":");
	const hosts = readHosts({
		authority,
		host: given.get("host"),
		port: given.get("port"),
	});
	const sslrootcert = given.get("sslrootcert") ?? null;
	requireWritable(given.get("target_session_attrs"));
	return {
		hosts,
		user: fromOnePlace("user", decode(user), given),
		password: fromOnePlace("password", decode(password.join(":")), given),
		database: decode(path) || null,
		sslmode: modeInForce(given.get("sslmode"), hosts, sslrootcert),
		sslrootcert,
		applicationName: given.get("application_name") ?? null,
	};
}

/** Why {@link parsePostgresUrl} refuses a text; null when it does not. */
export function urlFault(text: string): string | null {
	try {
		parsePostgresUrl(text);
		return null;
	} catch (error) {
		if (error instanceof UrlFault) return error.message;
		throw error;
	}
}

function readParameters(query: string): Parameters {
	const given = new Map<Parameter, string>();
	for (const pair of query === "" ? [] : query.split("&")) {
		const [, name, value] = /^([^=]+)=(.+)$/.exec(pair) ?? [];
		// Not shown: it may be a part of a password.
		if (name === undefined || value === undefined) {
			throw new UrlFault("a parameter must be NAME=VALUE");
		}
		const known = parameters.find((parameter) => parameter === name);
		if (known === undefined) {
			throw new UrlFault(
				`unknown parameter ${withNearest(name, parameters, quote(name))}; known are ${parameters.join(", ")}`,
			);
		}
		if (given.has(known)) throw new UrlFault(`${known} is given twice`);
		given.set(known, decode(value));
	}
	return given;
}

/** What may stand before the `?` or behind it; an empty one counts as not given. */
function fromOnePlace(
	name: Parameter,
	before: string,
	given: Parameters,
): string | null {
	const behind = given.get(name);
	if (before !== "" && behind !== undefined) {
		throw new UrlFault(`${name} is given twice`);
	}
	return behind ?? (before || null);
}

/**
 * As in libpq, a mode that verifies less than `verify-full` is refused beside `system`, and `require` beside a file of
 * certificates is `verify-ca`.
 */
function modeInForce(
	text: string | undefined,
	hosts: PostgresHosts,
	sslrootcert: string | null,
): SslMode {
	const mode = sslModes.find((name) => name === text);
	if (text !== undefined && mode === undefined) {
		throw new UrlFault(
			`unknown sslmode ${withNearest(text, sslModes, quote(text))}; known are ${sslModes.join(", ")}`,
		);
	}
	if (sslrootcert === "system") {
		if ((mode ?? "verify-full") === "verify-full") return "verify-full";
		throw new UrlFault("sslrootcert=system goes only with sslmode=verify-full");
	}
	if (mode === "require" && sslrootcert !== null) return "verify-ca";
	return mode ?? (hosts.every(isThisMachine) ? "prefer" : "verify-full");
}

function isThisMachine({ host, socket }: PostgresHost): boolean {
	return socket !== null || isLoopback(host.toLowerCase());
}

function requireWritable(attributes: string | undefined): void {
	if (attributes === undefined || writableSessions.includes(attributes)) return;
	throw new UrlFault(
		`target_session_attrs must be ${writableSessions.join(" or ")}: a resort writes`,
	);
}
