import { activityOperations } from "./activities/operations.ts";
import { overviewOperations } from "./agent-overview/operations.ts";
import { agentOperations } from "./agents/operations.ts";
import { assignmentOperations } from "./assignments/operations.ts";
import { blockOperations } from "./blocks/operations.ts";
import { eventOperations } from "./events/operations.ts";
import { experienceOperations } from "./guest-made-experiences/operations.ts";
import { healthOperations } from "./health/operations.ts";
import type { Operation } from "./operation.ts";
import { postcardOperations } from "./postcards/operations.ts";
import { presenceOperations } from "./presence/operations.ts";
import { sessionOperations } from "./sessions/operations.ts";
import { stayOperations } from "./stays/operations.ts";

/** The operations of the core. */
export const operations: readonly Operation[] = [
	...tagged("Agents", agentOperations),
	...tagged("Agents", overviewOperations),
	...tagged("Sessions", sessionOperations),
	...tagged("Stays", stayOperations),
	...tagged("Activities", activityOperations),
	...tagged("Experiences", experienceOperations),
	...tagged("Postcards", postcardOperations),
	...tagged("Postcards", blockOperations),
	...tagged("Status", presenceOperations),
	...tagged("Events", eventOperations),
	...tagged("Status", healthOperations),
	...tagged("Documents", assignmentOperations),
];

/** Sets the tag of operations that have none. */
export function tagged(tag: string, group: readonly Operation[]): Operation[] {
	return group.map((operation) => ({ tag, ...operation }));
}

const operationByRoute = new Map(
	operations.map((operation) => [`${operation.method} ${operation.path}`, operation]),
);

/**
 * Returns the core's operation for a route.
 * @param route the method and the path, such as `GET /api/stays`
 * @throws Error if no operation has this route
 */
export function operationAt(route: string): Operation {
	const operation = operationByRoute.get(route);
	if (operation === undefined) throw new Error(`no operation ${route}`);
	return operation;
}
