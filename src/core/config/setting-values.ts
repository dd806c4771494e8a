import { HOUR_MS } from "../lib/clock.ts";
import { type AddressRange, parseRange } from "../lib/ip-address.ts";

/** The maximum value of `--max-stay`. */
export const MAX_STAY_HOURS = 24 * 365 * 10;

/** Parses `on`, `true` or `1`, and `off`, `false` or `0`. */
export function onOrOff(text: string): boolean | undefined {
	if (["1", "true", "on"].includes(text)) return true;
	return ["0", "false", "off"].includes(text) ? false : undefined;
}

/** Parses an `http:` or `https:` URL without credentials, query and fragment. Removes trailing slashes. */
export function baseAddress(text: string): string | undefined {
	const url = URL.parse(text);
	if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
	if (url.search || url.hash || url.username || url.password) return undefined;
	return (url.origin + url.pathname).replace(/\/+$/, "");
}

/** Hides the user name and password in the text of a URL, even if the URL is invalid. */
export function hideUser(text: string): string {
	return text.replace(/^((?:[a-z]+:\/\/)?).*@/i, "$1(hidden)@");
}

/** Parses a comma-separated list of addresses and CIDR ranges. */
export function addressRanges(text: string): readonly AddressRange[] | undefined {
	if (text === "") return [];
	const ranges = text.split(",").map((range) => parseRange(range.trim()));
	return ranges.every((range) => range !== null) ? ranges : undefined;
}

/** Parses a decimal number of hours. Returns milliseconds: 0 for 0, else at least 1. */
export function hoursInMs(text: string): number | undefined {
	if (!/^\d{1,6}(\.\d{1,9})?$/.test(text)) return undefined;
	const hours = Number(text);
	if (hours > MAX_STAY_HOURS) return undefined;
	return hours === 0 ? 0 : Math.max(1, Math.round(hours * HOUR_MS));
}

/**
 * Parses 0, or a decimal number with a unit in upper or lower case, such as `1.5GB` or `512 MiB`. Returns
 * bytes.
 */
export function sizeInBytes(text: string): number | undefined {
	if (text === "0") return 0;
	const [, number, prefix = "", binary] =
		/^(\d{1,6}(?:\.\d{1,3})?) ?([KMGT])(I?)B$/.exec(text.toUpperCase()) ?? [];
	if (number === undefined) return undefined;
	const power = "KMGT".indexOf(prefix) + 1;
	const bytes = Number(number) * (binary ? 1024 : 1000) ** power;
	return Math.round(bytes) || undefined;
}
