import { isRecord } from "../lib/record.ts";
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
	requireSuccess(configuration, operation, answer);
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
	const { key } = configuration;
	const url = requireAddress(configuration);
	if (need === "must" && key === null) throw noKey(configuration);
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

/** How a resort answers where it has no operation at all. */
const NO_OPERATION = "Not found";

/**
 * @throws Failure with the service's words when the answer is not a success; with the client's own when the resort does
 * not have the operation, or wants a key for it after all and there is none
 */
export function requireSuccess(
	configuration: Configuration,
	operation: ClientOperation,
	{ status, headers, body }: Answer,
): void {
	if (status >= 200 && status < 300) return;
	const told = objectIn(body) ?? {};
	const isUnknown = told.error === undefined || told.error === NO_OPERATION;
	if (status === 404 && isUnknown) throw noOperation(configuration, operation);
	if (
		status === 401 &&
		operation.need === "may" &&
		configuration.key === null
	) {
		throw noKey(configuration);
	}
	const error =
		typeof told.error === "string" ? told.error : `answers ${status}`;
	const seconds = Number(headers["retry-after"]);
	const isTimed = Number.isInteger(seconds) && seconds > 0;
	const again = isTimed ? `; try again in ${seconds} s` : "";
	const hint = typeof told.hint === "string" ? told.hint : "";
	// The seconds are told once.
	const repeats = isTimed && hint.includes(`${seconds} seconds`);
	throw new Refusal(
		clean(error) + again,
		codes[status] ?? 1,
		repeats ? "" : clean(hint),
		status,
		Number.isInteger(seconds) ? seconds : 0,
		typeof told.field === "string" ? told.field : "",
	);
}

/** What the service refuses. */
export class Refusal extends Failure {
	/**
	 * @param retryAfterSeconds 0 when it does not say
	 * @param field the one whose bound is broken; empty when it is none
	 */
	constructor(
		message: string,
		exitCode: ExitCode,
		hint: string,
		readonly status: number,
		readonly retryAfterSeconds: number,
		readonly field: string,
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
		return isRecord(value) ? value : null;
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

/**
 * The address in force.
 * @throws Failure with exit code 4 when nothing tells one
 */
export function requireAddress(configuration: Configuration): string {
	if (configuration.url === null) throw noAddress(configuration);
	return configuration.url;
}

function noAddress({ path }: Configuration): Failure {
	return new Failure(
		`no resort is known: ${path} is not there, and RESORT_API_URL is not set`,
		4,
		"register --url URL, or login --url URL, or set RESORT_API_URL",
	);
}

/** Why some resorts do not have an operation, by what it is only for. */
const REASONS: Readonly<Record<string, string>> = {
	webhooks: "webhooks are off there",
	provider: "only resorts behind an identity provider have it",
};

/** The failure where a resort does not have an operation, or the address is of no resort. */
function noOperation(
	{ url }: Configuration,
	{ id, only }: ClientOperation,
): Failure {
	const reason = REASONS[only ?? ""];
	const hint =
		"give the address of a resort: what stands before /api in its addresses";
	return new Failure(
		`${url} has no operation ${id}${reason === undefined ? "" : `: ${reason}`}`,
		5,
		reason === undefined ? hint : "",
	);
}
