import type { ClientOperation } from "./catalogue.ts";
import type { Configuration } from "./configuration.ts";
import { type ExitCode, Failure } from "./failure.ts";
import { type Answer, type Message, send } from "./send.ts";
import { clean } from "./text.ts";

/** The values of an operation's fields, by their names. */
export type Values = Readonly<Record<string, unknown>>;

/** The body of a successful answer. */
export type Told = Readonly<Record<string, unknown>>;

const codes: Readonly<Record<number, ExitCode>> = { 401: 4, 404: 5, 429: 6 };

/**
 * Calls an operation that answers with JSON.
 * @throws Failure with the service's words, or with exit code 4 when a key is needed and there is none
 */
export async function call(
	configuration: Configuration,
	operation: ClientOperation,
	values: Values,
	more: Pick<Message, "waitSeconds" | "signal"> = {},
): Promise<Told> {
	const message = messageOf(configuration, operation, values);
	const answer = await send({ ...message, ...more });
	requireSuccess(answer);
	return toldIn(answer, message.url);
}

/**
 * What is sent for an operation: values are put where it wants them, those that it does not know into its body.
 * @throws Failure with exit code 4 when there is no key, or no address
 */
export function messageOf(
	configuration: Configuration,
	{ method, path, need, fields }: ClientOperation,
	values: Values,
): Message {
	const { url, key } = configuration;
	if (need === "must" && key === null) throw noKey(configuration);
	if (url === null) throw noAddress(configuration);
	const body: Record<string, unknown> = {};
	const query = new URLSearchParams();
	let target = path;
	for (const [name, value] of Object.entries(values)) {
		const place = fields.find((field) => field.name === name)?.place;
		if (place === "path") {
			target = target.replace(`:${name}`, segment(String(value)));
		} else if (place === "query" || method === "GET") {
			query.set(name, String(value));
		} else body[name] = value;
	}
	const hasBody = method !== "GET" && Object.keys(body).length > 0;
	const search = query.size === 0 ? "" : `?${query}`;
	return {
		method,
		url: new URL(url + target + search),
		key: need === "none" ? null : key,
		...(hasBody && { body }),
	};
}

/** A part of a path; dots alone, which a URL would fold, cannot be one. */
function segment(value: string): string {
	return /^\.{0,2}$/.test(value)
		? "-"
		: encodeURIComponent(value.toWellFormed());
}

/** @throws Failure with the service's words when the answer is not a success */
export function requireSuccess({ status, headers, body }: Answer): void {
	if (status >= 200 && status < 300) return;
	const told = objectIn(body) ?? {};
	const error =
		typeof told.error === "string" ? told.error : `answers ${status}`;
	const seconds = Number(headers["retry-after"]);
	const again =
		Number.isInteger(seconds) && seconds > 0
			? `; try again in ${seconds} s`
			: "";
	const hint = typeof told.hint === "string" ? told.hint : "";
	throw new Refusal(
		clean(error) + again,
		codes[status] ?? 1,
		clean(hint),
		status,
		Number.isInteger(seconds) ? seconds : 0,
	);
}

/** What the service refuses. */
export class Refusal extends Failure {
	/** @param retryAfterSeconds 0 when it does not say */
	constructor(
		message: string,
		exitCode: ExitCode,
		hint: string,
		readonly status: number,
		readonly retryAfterSeconds: number,
	) {
		super(message, exitCode, hint);
	}
}

/** @throws Failure when it is no answer of a resort */
function toldIn({ body }: Answer, url: URL): Told {
	const told = objectIn(body);
	if (told?.ok === true) return told;
	throw new Failure(`${url.origin} does not answer as a resort does`, 1);
}

/** The JSON object in some bytes; null when there is none. */
export function objectIn(body: Buffer): Told | null {
	try {
		const value: unknown = JSON.parse(body.toString());
		return typeof value === "object" && value !== null ? { ...value } : null;
	} catch {
		return null;
	}
}

function noKey({ path, stored, url }: Configuration): Failure {
	return stored !== null && url !== null
		? new Failure(
				`the key in ${path} is for another resort than ${url}`,
				4,
				"give the key of that one in RESORT_API_KEY",
			)
		: new Failure(
				`there is no key: ${path} is not there, and RESORT_API_KEY is not set`,
				4,
				"register or login first",
			);
}

function noAddress({ path }: Configuration): Failure {
	return new Failure(
		`no resort is known: ${path} is not there, and RESORT_API_URL is not set`,
		4,
		"register --url ADDRESS, or login --url ADDRESS",
	);
}
