import { END_OF_TIME_MS, HOUR_MS, parseTimestamp } from "../lib/clock.ts";
import { type AddressRange, hostName, parseRange } from "../lib/ip-address.ts";

/** The longest stay that can be asked for. */
export const MAX_STAY_HOURS = 24 * 365 * 10;

/** The most names of `--test-hosts`. */
export const MAX_HOSTS = 20;

/** The fewest characters of a secret. */
export const MIN_SECRET_LENGTH = 32;

/**
 * Reads a switch: `on`, `true` or `1`; `off`, `false` or `0`.
 * @returns undefined when the text is none of them
 */
export function onOrOff(text: string): boolean | undefined {
	if (["1", "true", "on"].includes(text)) return true;
	return ["0", "false", "off"].includes(text) ? false : undefined;
}

/**
 * An http or https URL, without the slashes at its end. It may have a path, but no credentials, query or fragment.
 * @returns undefined when the text is no such URL
 */
export function baseAddress(text: string): string | undefined {
	const url = URL.parse(text);
	if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
	if (url.search || url.hash || url.username || url.password) return undefined;
	return (url.origin + url.pathname).replace(/\/+$/, "");
}

/**
 * Addresses and CIDR ranges with commas between them; none when the text is empty.
 * @returns undefined when one of them is neither
 */
export function addressRanges(
	text: string,
): readonly AddressRange[] | undefined {
	if (text === "") return [];
	const ranges = text.split(",").map((range) => parseRange(range.trim()));
	return ranges.every((range) => range !== null) ? ranges : undefined;
}

/**
 * Hours in plain decimal digits, at most {@link MAX_STAY_HOURS}.
 * @returns milliseconds, at least 1 when it is not 0; undefined when the text is no such number
 */
export function hoursInMs(text: string): number | undefined {
	if (!/^\d{1,6}(\.\d{1,9})?$/.test(text)) return undefined;
	const hours = Number(text);
	if (hours > MAX_STAY_HOURS) return undefined;
	return hours === 0 ? 0 : Math.max(1, Math.round(hours * HOUR_MS));
}

/**
 * One secret, or two with a comma between them.
 * @returns undefined when there are more, or one is too short
 */
export function identitySecrets(
	text: string,
): readonly [string, ...string[]] | undefined {
	const [first = "", ...others] = text.split(",");
	return others.length <= 1 &&
		[first, ...others].every((secret) => secret.length >= MIN_SECRET_LENGTH)
		? [first, ...others]
		: undefined;
}

/**
 * The path of a URL; it begins with a slash.
 * @returns undefined when the text is no path, or has a query or fragment
 */
export function urlPath(text: string): string | undefined {
	return /^\/[\w.~!$&'()*+,;=:@%/-]*$/.test(text) ? text : undefined;
}

/**
 * An address for reports of weaknesses (RFC 9116, 2.5.3); one of e-mail alone is made a `mailto:`.
 * @returns undefined when it is none
 */
export function contactAddress(text: string): string | undefined {
	if (!/^[\x21-\x7e]{3,500}$/.test(text)) return undefined;
	if (/^[^:@/]+@[^:@/]+$/.test(text)) return `mailto:${text}`;
	const isAddress = /^(https:\/\/[^/]|mailto:[^@]+@|tel:\+?\d)/.test(text);
	return isAddress && URL.canParse(text) ? text : undefined;
}

/**
 * A moment in UTC.
 * @returns milliseconds since the epoch; undefined when the text is none, or one that no clock is set to
 */
export function momentInMs(text: string): number | undefined {
	const timeMs = parseTimestamp(text);
	return timeMs === null || timeMs > END_OF_TIME_MS ? undefined : timeMs;
}

/**
 * Names and addresses of hosts with commas between them, as a URL tells them; none when the text is empty.
 * @returns undefined when one of them is none or has a port, or there are more than {@link MAX_HOSTS}
 */
export function hostNames(text: string): readonly string[] | undefined {
	if (text === "") return [];
	const names = text.split(",").map((name) => toHost(name.trim()));
	return names.length <= MAX_HOSTS && names.every((name) => name !== undefined)
		? names
		: undefined;
}

function toHost(name: string): string | undefined {
	const plain = /^\[(.*)\]$/.exec(name)?.[1] ?? name;
	if (hostName(plain) === undefined) return undefined;
	const url = URL.parse(`http://${plain.includes(":") ? `[${plain}]` : plain}`);
	return url?.hostname;
}
