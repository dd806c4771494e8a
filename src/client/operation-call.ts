import { clean } from "../core/lib/readable-text.ts";
import { parseObject, textIn } from "../core/lib/record.ts";
import type { ClientOperation } from "./catalogue.ts";
import { type ExitCode, Failure, NotExpected } from "./client-failure.ts";
import type { Configuration } from "./configuration.ts";
import { type Answer, type Message, open, readWhole } from "./send-message.ts";

/** Field values of an operation, by name. */
export type Values = Readonly<Record<string, unknown>>;

/** The body of a successful response. */
export type Body = Readonly<Record<string, unknown>>;

const exitCodes: Readonly<Record<number, ExitCode>> = { 401: 4, 404: 5, 429: 6 };

const NO_OPERATION = "Not found";

const NO_RESORT = "use the resort's base address, the part before /api";

/** Calls an operation that returns JSON. @throws Failure as {@link callForBytes} */
export async function call(
	configuration: Configuration,
	operation: ClientOperation,
	values: Values,
	signal?: AbortSignal,
): Promise<Body> {
	const body = parseObject(await callForBytes(configuration, operation, values, signal));
	if (body?.ok === true) return body;
	throw notAResort(new URL(requireAddress(configuration)));
}

/**
 * Calls an operation.
 * @throws Failure as {@link messageFor}, {@link open}, {@link readWhole} and {@link requireSuccess}
 */
export async function callForBytes(
	configuration: Configuration,
	operation: ClientOperation,
	values: Values,
	signal?: AbortSignal,
): Promise<Buffer> {
	const message = messageFor(configuration, operation, values);
	const answer = await readWhole(message.url, await open({ ...message, signal }));
	requireSuccess(configuration, operation, answer);
	return answer.body;
}

/** Returns the failure for an address that belongs to no resort. */
export function notAResort({ origin }: URL): Failure {
	return new Failure(`${origin} does not respond like a resort`, 1);
}

/**
 * Returns the request for an operation. Values of unknown fields are sent in the body or, if the operation
 * has no body, in the query, so that the resort refuses them.
 * @throws Failure with exit code 4 if no address is configured, or a key is required and none is configured
 */
export function messageFor(
	configuration: Configuration,
	{ method, path, need, fields }: ClientOperation,
	values: Values,
): Message {
	const { key } = configuration;
	const address = requireAddress(configuration);
	if (need === "must" && key === null) throw noKey(configuration);
	const body: Record<string, unknown> = {};
	const query = new URLSearchParams();
	const hasBody = fields.some((field) => field.place === "body");
	let target = path;
	for (const [name, value] of Object.entries(values)) {
		const place = fields.find((field) => field.name === name)?.place;
		if (place === "path") {
			target = target.replace(`:${name}`, pathSegment(String(value)));
		} else if (place === "query" || !hasBody) {
			query.set(name, String(value));
		} else body[name] = value;
	}
	const url = new URL(address + target);
	url.search = query.toString();
	return { method, url, key: need === "none" ? null : key, ...(Object.keys(body).length > 0 && { body }) };
}

/** Encodes a path segment. An empty segment, `.` and `..` become `-`, because they would change the path. */
function pathSegment(value: string): string {
	return /^\.{0,2}$/.test(value) ? "-" : encodeURIComponent(value.toWellFormed());
}

/**
 * Throws the failure for a response that is not a success. The failure has the resort's message, or one of
 * the client if the resort lacks the operation or no key is configured.
 * @throws Failure; NotExpected
 */
export function requireSuccess(
	configuration: Configuration,
	operation: ClientOperation,
	{ status, headers, body }: Answer,
): void {
	// Every status below 400 is a success, because `open` refuses redirects.
	if (status < 400) return;
	const answer = parseObject(body);
	const error = textIn(answer, "error");
	const hint = textIn(answer, "hint");
	if (status === 404 && (error === "" || error === NO_OPERATION)) {
		const message = `${configuration.url} has no operation ${operation.id}`;
		const isBase = new URL(requireAddress(configuration)).pathname === "/";
		throw new Failure(message, 5, (isBase && clean(hint)) || NO_RESORT);
	}
	const isKeyMissing = operation.need === "may" && configuration.key === null;
	if (status === 401 && isKeyMissing) throw noKey(configuration);
	const seconds = Number(headers["retry-after"]) || 0;
	if (status === 409 && answer?.ok === true) throw new NotExpected(answer, seconds);
	const suffix = seconds > 0 ? `; try again in ${seconds} s` : "";
	const isStored = status === 401 && configuration.isStoredKey;
	const login = isStored ? ` \`login\` replaces the key in ${configuration.path}.` : "";
	// Omits a hint that only repeats the number of seconds.
	const isRepeated = seconds > 0 && hint.includes(`${seconds} seconds`);
	throw new Failure(
		clean(error || `returned ${status}`) + suffix,
		exitCodes[status] ?? 1,
		isRepeated ? "" : (clean(hint) + login).trim(),
		{ status, retryAfterSeconds: seconds, field: textIn(answer, "field") },
	);
}

function noKey({ path, url }: Configuration): Failure {
	return new Failure(
		`there is no key for ${url}: ${path} is missing or for another resort, and RESORT_API_KEY is not set`,
		4,
		"register or login first",
	);
}

/** Returns the address of the resort. @throws Failure with exit code 4 if no address is configured */
export function requireAddress({ path, url }: Configuration): string {
	if (url !== null) return url;
	throw new Failure(
		`no resort is configured: ${path} does not exist, and RESORT_API_URL is not set`,
		4,
		"run register --url URL or login --url URL, or set RESORT_API_URL",
	);
}
