import { webhookOperations } from "../webhooks/operations.ts";
import { activityOperations } from "./activities/operations.ts";
import { agentOperations } from "./agents/operations.ts";
import { badgeOperations } from "./badges/operations.ts";
import { documentOperations } from "./documents/operations.ts";
import { eventOperations } from "./events/operations.ts";
import { experienceOperations } from "./experiences/operations.ts";
import { feedOperations } from "./feeds/operations.ts";
import { healthOperations } from "./health/operations.ts";
import type { Operation } from "./operation.ts";
import { overviewOperations } from "./overview/operations.ts";
import { postcardOperations } from "./postcards/operations.ts";
import { presenceOperations } from "./presence/operations.ts";
import { profileSettingsOperations } from "./profile-settings/operations.ts";
import { sessionOperations } from "./sessions/operations.ts";
import { stayOperations } from "./stays/operations.ts";

/** All operations of the API, also those that only some instances have. */
export const operations: readonly Operation[] = [
	...agentOperations,
	...overviewOperations,
	...sessionOperations,
	...stayOperations,
	...activityOperations,
	...experienceOperations,
	...postcardOperations,
	...presenceOperations,
	...badgeOperations,
	...eventOperations,
	...webhookOperations,
	...feedOperations,
	...healthOperations,
	...documentOperations,
	...profileSettingsOperations,
];

/**
 * Returns the operation of a route.
 * @param route its method and path, such as `GET /api/stays`
 * @throws Error if there is none
 */
export function operationAt(route: string): Operation {
	const operation = operations.find(
		({ method, path }) => `${method} ${path}` === route,
	);
	if (operation === undefined) throw new Error(`no operation ${route}`);
	return operation;
}
