import type { Parameter, PostgresUrl } from "./url.ts";

/** Writes a URL that means the same, but for the password; port and mode are told also when they were not given. */
export function withoutPassword(url: PostgresUrl): string {
	const { hosts, user, database, sslmode, sslrootcert } = url;
	const isInQuery = hosts.some(({ socket }) => socket !== null);
	const given: [Parameter, string | null][] = [
		["host", isInQuery ? hosts.map(({ host }) => host).join() : null],
		["port", isInQuery ? hosts.map(({ port }) => port).join() : null],
		["sslmode", sslmode],
		["sslrootcert", sslrootcert],
		["application_name", url.applicationName],
	];
	const query = given.flatMap(([name, value]) =>
		value === null ? [] : [`${name}=${encode(value)}`],
	);
	const login = user === null ? "" : `${encodeURIComponent(user)}@`;
	const authority = isInQuery
		? ""
		: hosts.map(({ host, port }) => `${bracketed(host)}:${port}`).join();
	const path = encodeURIComponent(database ?? "");
	return `postgres://${login}${authority}/${path}?${query.join("&")}`;
}

/** Percent-encodes, but for what is usual in paths and lists. */
function encode(text: string): string {
	return encodeURIComponent(text).replaceAll(/%2F|%2C|%3A/g, (code) =>
		decodeURIComponent(code),
	);
}

function bracketed(host: string): string {
	return host.includes(":") ? `[${host}]` : host;
}
