import { activityOperations } from "./activities/operations.ts";
import { overviewOperations } from "./agent-overview/operations.ts";
import { agentOperations } from "./agents/operations.ts";
import { assignmentOperations } from "./assignments/operations.ts";
import { blockOperations } from "./blocks/operations.ts";
import { eventOperations } from "./events/operations.ts";
import { experienceOperations } from "./guest-made-experiences/operations.ts";
import { healthOperations } from "./health/operations.ts";
import { type Operation, type Tag, tags } from "./operation.ts";
import { postcardOperations } from "./postcards/operations.ts";
import { presenceOperations } from "./presence/operations.ts";
import { sessionOperations } from "./sessions/operations.ts";
import { stayOperations } from "./stays/operations.ts";

/** The operations of the core. */
export const operations: readonly Operation[] = [
	...tagged(tags.agents, agentOperations),
	...tagged(tags.agents, overviewOperations),
	...tagged(tags.sessions, sessionOperations),
	...tagged(tags.stays, stayOperations),
	...tagged(tags.activities, activityOperations),
	...tagged(tags.experiences, experienceOperations),
	...tagged(tags.postcards, postcardOperations),
	...tagged(tags.postcards, blockOperations),
	...tagged(tags.status, presenceOperations),
	...tagged(tags.events, eventOperations),
	...tagged(tags.status, healthOperations),
	...tagged(tags.documents, assignmentOperations),
];

/** Sets the tag of operations that have none. */
export function tagged(tag: Tag, group: readonly Operation[]): Operation[] {
	return group.map((operation) => ({ tag, ...operation }));
}

/**
 * Returns the core's operation for a route, such as `GET /api/stays`.
 * @throws Error if no operation has this route
 */
export function operationAt(route: string): Operation {
	const operation = operations.find(({ method, path }) => `${method} ${path}` === route);
	if (operation === undefined) throw new Error(`no operation ${route}`);
	return operation;
}
