import { URLSearchParams } from "node:url";
import { isDate } from "node:util/types";
import { parseObject } from "../../../core/lib/record.ts";
import { sendRequest } from "./own-references.ts";
import type { CutConnections, Fault, RecordedCall, ResortState } from "./schema-types.ts";
import type { ConnectedResort } from "./testing-types.ts";

/** The maximum number of characters of an unexpected text in an error message. */
const MAX_SHOWN = 100;

/** Quotes the beginning of an unexpected text, for an error message. */
export function quoteStart(text: string): string {
	return JSON.stringify(text.slice(0, MAX_SHOWN));
}

/** Converts an object to JSON. @throws Error for NaN, Infinity and invalid dates, instead of writing null */
export function toJson(object: object): string {
	return JSON.stringify(object, function (this: object, name, value) {
		if (value === null && isDate(Reflect.get(this, name))) {
			throw new Error(`${name} is an Invalid Date`);
		}
		if (typeof value !== "number" || Number.isFinite(value)) return value;
		throw new Error(`${name} must be a number`);
	});
}

/**
 * Creates the methods that call the test controls of an instance.
 * @param url the instance's address, without a trailing slash
 * @param whyEnded returns why the instance has ended; null if it is running
 */
export function createResortMethods(
	url: string,
	whyEnded: () => Promise<Error | null>,
): Omit<ConnectedResort, "url" | "keys"> {
	const call = async (method: string, path: string, body?: object) => {
		const json = body && toJson(body);
		const { status, text } = await sendRequest(`${url}/test/${path}`, method, json).catch(
			async ({ code, message }) => {
				// If the name of the host has several addresses, the error of Node has a code but no message.
				const reason = `${url} does not answer: ${message || code}`;
				throw (await whyEnded()) ?? new Error(reason);
			},
		);
		const answer = parseObject(text) ?? {};
		const { ok, error, hint } = answer;
		if (status === 200 && ok === true) return answer;
		throw new Error(
			status === 404
				? `${url} has no test controls: start the resort with --ephemeral --test-controls`
				: typeof error === "string"
					? [error, hint].filter(Boolean).join(". ")
					: `${url} is not a resort: it answered ${status} ${quoteStart(text)}`,
		);
	};
	const change = async (method: string, path: string, body?: object) => {
		await call(method, path, body);
	};
	return {
		reset: () => change("POST", "reset"),
		async state() {
			const { ok, ...state } = await call("GET", "state");
			return state as unknown as ResortState;
		},
		advance: (seconds) => change("POST", "clock", { advanceSeconds: seconds }),
		setTime: (time) => change("POST", "clock", { now: time }),
		freeze: () => change("POST", "clock", { frozen: true }),
		thaw: () => change("POST", "clock", { frozen: false }),
		async fault(fault) {
			return (await call("POST", "faults", fault)).fault as Fault;
		},
		async faults() {
			return (await call("GET", "faults")).faults as Fault[];
		},
		clearFaults: () => change("DELETE", "faults"),
		async calls(filter = {}) {
			const query = new URLSearchParams(Object.entries(filter).filter(([, value]) => value !== undefined));
			return (await call("GET", `calls?${query}`)).calls as RecordedCall[];
		},
		clearCalls: () => change("DELETE", "calls"),
		forgetEvents: () => change("POST", "events", { forget: true }),
		async cutStreams() {
			const { ok, ...counts } = await call("POST", "streams", { cut: true });
			return counts as unknown as CutConnections;
		},
	};
}
