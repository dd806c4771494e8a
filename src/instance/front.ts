import { keepingAnswers } from "../answers/keep.ts";
import { quickRoutes } from "../answers/quick-routes.ts";
import type { Config } from "../config/config.ts";
import { type Answer, type Exchange, observed } from "../http/exchange.ts";
import type { HttpState } from "../http/state.ts";
import type { Clock } from "../lib/clock.ts";
import type { Connection } from "../store/sqlite/connection.ts";

/** What every request of an instance passes before the application, which need not be loaded yet. */
export interface FrontParts {
	readonly config: Config;
	readonly connection: Connection;
	readonly clock: Clock;
	readonly state: HttpState;
	/** Each is told of every request that has been answered. */
	readonly watchers: readonly ((exchange: Exchange) => void)[];
	/** Answers what the front does not. */
	readonly application: Answer;
}

/** A kept status takes some 400 bytes. */
const MAX_KEPT_BYTES = 640 * 1024 * 1024;

/** Answers what is ready or quickly made, and leaves the rest to the application. */
export function frontOf({
	config,
	connection: store,
	clock,
	state,
	watchers,
	application,
}: FrontParts): Answer {
	const house = { store, clock, maxStayMs: config["max-stay"] };
	const url = config["identity-url"];
	const identity = url === null ? null : { origin: new URL(url).origin };
	const answer = keepingAnswers(
		application,
		house,
		state,
		quickRoutes(house, identity),
		keptBytes(),
	);
	// Costs nothing when nobody watches.
	if (watchers.length === 0) return answer;
	return observed(answer, state, (exchange) => {
		for (const watch of watchers) watch(exchange);
	});
}

/** How much memory ready answers may take: an eighth of what there is, at most enough for a million agents. */
function keptBytes(): number {
	return Math.min(process.constrainedMemory() / 8, MAX_KEPT_BYTES);
}
