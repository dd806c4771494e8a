import { setImmediate as nextTurn } from "node:timers/promises";
import type {
	ConnectedResort,
	CutConnections,
	Fault,
	RecordedCall,
	ResortState,
} from "./testing-types.ts";

/**
 * A JSON replacer that rejects NaN and Infinity. `JSON.stringify` would write them as null, which the resort treats as
 * an omitted field.
 */
function refuseNonFinite(name: string, value: unknown): unknown {
	if (typeof value !== "number" || Number.isFinite(value)) return value;
	throw new Error(`${name} must be a number`);
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
		const response = await fetch(`${url}/test/${path}`, {
			method,
			...(body !== undefined && {
				headers: { "content-type": "application/json" },
				body: JSON.stringify(body, refuseNonFinite),
			}),
		}).catch(async (error) => {
			throw (await whyEnded()) ?? error;
		});
		const answer = (await response.json()) as Record<string, unknown>;
		if (response.ok) return answer;
		const { error, hint } = answer;
		throw new Error([error, hint].filter(Boolean).join(". "));
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
		async setTime(time) {
			const now = time instanceof Date ? time.toISOString() : time;
			await change("POST", "clock", { now });
		},
		freeze: () => change("POST", "clock", { frozen: true }),
		thaw: () => change("POST", "clock", { frozen: false }),
		async fault(fault) {
			const answer = await call("POST", "faults", fault);
			// When a fault with `drop` is armed, the resort closes idle connections. This waits until this process has
			// noticed that, so that the next call uses a new connection.
			await nextTurn();
			return answer.fault as Fault;
		},
		async faults() {
			return (await call("GET", "faults")).faults as Fault[];
		},
		clearFaults: () => change("DELETE", "faults"),
		async calls(filter = {}) {
			const query = new URLSearchParams(
				Object.entries(filter).filter(([, value]) => value !== undefined),
			);
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
