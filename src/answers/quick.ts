import { HEALTH_PATH, readHealth } from "../resort/health/rules.ts";
import {
	findStatus,
	STATUS_PATH,
	type StatusSource,
} from "../resort/presence/status.ts";
import type { Provider } from "../resort/resort.ts";
import type { Kind } from "./ready.ts";

/** An answer that is made without the application. */
export interface QuickAnswer {
	readonly kind: Kind;
	readonly body: object;
	/** Until when it is true if nothing happens, in milliseconds since the epoch; null when it is not kept. */
	readonly untilMs: number | null;
}

const status: Kind = { path: STATUS_PATH, readsOf: "agent" };
const health: Kind = { path: HEALTH_PATH };

/** The kinds of quick answers that are kept. */
export const quickKinds = [status];

const STATUS = new RegExp(`^${STATUS_PATH.replace(":id", "([0-9a-f-]{36})")}$`);

/**
 * Answers what is asked for most, and first after a start, while the application is still being loaded: the status
 * of an agent and the health of the service. These answers are those of the operations to the byte.
 * @param target the path and query
 * @param provider null when there is none
 * @returns null for what is left to the application: other targets, other spellings, other answers than 200
 */
export function quickAnswer(
	source: StatusSource,
	provider: Pick<Provider, "origin"> | null,
	target: string,
): QuickAnswer | null {
	try {
		if (target === HEALTH_PATH) {
			const body = readHealth(source.store, provider);
			return body && { kind: health, body, untilMs: null };
		}
		const [, id] = STATUS.exec(target) ?? [];
		const found = id === undefined ? null : findStatus(source, id);
		return found && { kind: status, body: found.value, untilMs: found.untilMs };
	} catch {
		// It fails in the application in the same way, and is told there.
		return null;
	}
}
