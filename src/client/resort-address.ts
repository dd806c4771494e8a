import { UsageError } from "../core/lib/start-error.ts";
import { Failure } from "./client-failure.ts";

/** Matches 127.0.0.0/8, ::1 and localhost in the form that the URL parser produces. */
const LOOPBACK = /^(127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\]|localhost)$/;

/**
 * Validates the address of a resort, and removes a trailing slash.
 * @param source where the address comes from, for error messages
 * @throws UsageError or Failure with exit code 2 if no key may be sent to the address
 */
export function resortAddress(text: string, source: string, insecure: boolean): string {
	const url = isWebAddress(text) ? new URL(text) : null;
	if (!url || url.username || url.password || url.search || url.hash) {
		throw new UsageError(
			`${source}: must be an address such as https://resort.example, without a user name, query or fragment`,
		);
	}
	if (url.protocol === "http:" && !insecure && !LOOPBACK.test(url.hostname)) {
		throw new Failure(
			`${source}: http: to ${url.hostname} would show the key to everyone on the network path`,
			2,
			"use https:, or --insecure if you trust the network",
		);
	}
	return (url.origin + url.pathname).replace(/\/+$/, "");
}

/** Whether a text is a URL with `http:` or `https:`. */
export function isWebAddress(text: string): boolean {
	return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

/** Whether two addresses have the same origin. */
export function isSameOrigin(one: string, other: string): boolean {
	return new URL(one).origin === new URL(other).origin;
}
