import { when } from "../lib/when.ts";
import type { Provider } from "../resort/context.ts";
import { HEALTH_PATH, healthOf } from "../resort/health/service.ts";
import type { AgentStatus } from "../resort/presence/model.ts";
import {
	findStatus,
	STATUS_PATH,
	type StatusSource,
} from "../resort/presence/status.ts";
import type { Timed } from "../resort/stays/moment.ts";
import type { Kind } from "./ready.ts";

/** An answer that is made without the application. */
export interface QuickAnswer {
	readonly body: object;
	/** Until when it is true if nothing happens, in milliseconds since the epoch; null when it is not kept. */
	readonly untilMs: number | null;
}

/** What is answered without the application. */
export interface QuickQuestion {
	readonly kind: Kind;
	/** @returns null for what is left to the application: other answers than 200 */
	answer(): QuickAnswer | null | Promise<QuickAnswer | null>;
}

const status: Kind = { path: STATUS_PATH, invalidatedBy: "agent" };
const health: Kind = { path: HEALTH_PATH };

/** The kinds of quick answers that are kept. */
export const quickKinds = [status];

const STATUS = new RegExp(`^${STATUS_PATH.replace(":id", "([0-9a-f-]{36})")}$`);

/**
 * What is asked for most, and first after a start, while the application is still being loaded: the status of an
 * agent and the health of the service. The answers are those of the operations to the byte.
 * @param target the path and query
 * @param provider null when there is none
 * @returns null for what is left to the application: other targets, other spellings
 */
export function quickQuestion(
	source: StatusSource,
	provider: Pick<Provider, "origin"> | null,
	target: string,
): QuickQuestion | null {
	if (target === HEALTH_PATH) {
		return {
			kind: health,
			answer: () =>
				when(source.store.isReadable(), (isReadable) =>
					isReadable ? { body: healthOf(provider), untilMs: null } : null,
				),
		};
	}
	const [, id] = STATUS.exec(target) ?? [];
	if (id === undefined) return null;
	return { kind: status, answer: () => statusOf(source, id) };
}

function statusOf(
	source: StatusSource,
	id: string,
): QuickAnswer | null | Promise<QuickAnswer | null> {
	// What fails here fails in the application in the same way, and is told there.
	try {
		const found = source.store.read(() => findStatus(source, id));
		return found instanceof Promise
			? found.then(toQuickAnswer, () => null)
			: toQuickAnswer(found);
	} catch {
		return null;
	}
}

function toQuickAnswer(found: Timed<AgentStatus> | null): QuickAnswer | null {
	return found && { body: found.value, untilMs: found.untilMs };
}
