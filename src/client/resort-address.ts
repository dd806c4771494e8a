import { UsageError } from "../lib/start-error.ts";
import { Failure } from "./client-failure.ts";

/** 127.0.0.0/8, ::1 and localhost, as the URL parser writes them. */
const LOOPBACK = /^(127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\]|localhost)$/;

/**
 * The address of a resort in its one spelling, without a slash at its end. It is judged before anything is looked up.
 * @param source where it comes from, for the message
 * @param insecure whether `http:` is taken for every host
 * @throws Failure with exit code 2 when no key may be sent there
 */
export function resortAddress(
	text: string,
	source: string,
	insecure: boolean,
): string {
	const url = parse(text);
	if (url === null || !isWebAddress(text)) {
		throw new UsageError(
			`${source}: must be an address such as https://resort.example`,
		);
	}
	if (url.username || url.password || url.search || url.hash) {
		throw new UsageError(
			`${source}: must have no user name, password, query or fragment`,
		);
	}
	if (url.protocol === "http:" && !insecure && !LOOPBACK.test(url.hostname)) {
		throw new Failure(
			`${source}: http: to ${url.hostname} would show the key to everybody on the way`,
			2,
			"use https:, or --insecure when you know the network",
		);
	}
	return (url.origin + url.pathname).replace(/\/+$/, "");
}

/** Whether a text is an address of the web at all. */
export function isWebAddress(text: string): boolean {
	return /^https?:$/.test(parse(text)?.protocol ?? "");
}

/** Whether two addresses have the same origin; a text that is no address has none. */
export function isSameOrigin(one: string, other: string): boolean {
	const origin = parse(one)?.origin;
	return origin !== undefined && origin === parse(other)?.origin;
}

/** Node 20 has no `URL.parse`. */
function parse(text: string): URL | null {
	return URL.canParse(text) ? new URL(text) : null;
}
