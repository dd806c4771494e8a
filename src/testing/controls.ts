import { setImmediate as nextTurn } from "node:timers/promises";
import { timeText } from "./options.ts";
import type {
	Fault,
	RecordedCall,
	ResortState,
	RunningResort,
} from "./types.ts";

/** The methods that use the test controls. */
export type ControlMethods = Omit<
	RunningResort,
	"url" | "keys" | "stop" | typeof Symbol.asyncDispose
>;

/** JSON would make null of such a number, which is the same as leaving it out. */
function refuseNoNumber(name: string, value: unknown): unknown {
	if (typeof value !== "number" || Number.isFinite(value)) return value;
	throw new Error(`${name} must be a number`);
}

/**
 * Makes the methods of an instance.
 * @param url its address, without a slash at its end
 * @param endOf tells why an instance gave no answer; null when it has not ended
 */
export function controlMethods(
	url: string,
	endOf: () => Promise<Error | null>,
): ControlMethods {
	const control = async (method: string, path: string, body?: object) => {
		const response = await fetch(`${url}/test/${path}`, {
			method,
			...(body !== undefined && {
				headers: { "content-type": "application/json" },
				body: JSON.stringify(body, refuseNoNumber),
			}),
		}).catch(async (error) => {
			throw (await endOf()) ?? error;
		});
		const answer = (await response.json()) as Record<string, unknown>;
		if (response.ok) return answer;
		const { error, hint } = answer;
		throw new Error([error, hint].filter(Boolean).join(". "));
	};
	const change = async (method: string, path: string, body?: object) => {
		await control(method, path, body);
	};
	return {
		reset: () => change("POST", "reset"),
		async state() {
			const { ok, ...state } = await control("GET", "state");
			return state as unknown as ResortState;
		},
		advance: (seconds) => change("POST", "clock", { advanceSeconds: seconds }),
		setTime: async (time) => change("POST", "clock", { now: timeText(time) }),
		freeze: () => change("POST", "clock", { frozen: true }),
		thaw: () => change("POST", "clock", { frozen: false }),
		async fault(fault) {
			const answer = await control("POST", "faults", fault);
			// A drop closes idle connections. This program has noticed that after a turn of its event loop.
			await nextTurn();
			return answer.fault as Fault;
		},
		async faults() {
			return (await control("GET", "faults")).faults as Fault[];
		},
		clearFaults: () => change("DELETE", "faults"),
		async calls(filter = {}) {
			const query = new URLSearchParams(
				Object.entries(filter).filter(([, value]) => value !== undefined),
			);
			return (await control("GET", `calls?${query}`)).calls as RecordedCall[];
		},
		clearCalls: () => change("DELETE", "calls"),
	};
}
