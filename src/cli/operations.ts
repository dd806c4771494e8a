import type { Operation } from "../core/resort/operation.ts";
import { operations as coreOperations, tagged } from "../core/resort/operations.ts";
import { documentOperations } from "../features/documents/documentation/operations.ts";
import { profileSettingsOperations } from "../features/identity-provider/profile-settings/operations.ts";
import { feedOperations } from "../features/pages/feeds/operations.ts";
import { badgeOperations } from "../features/pages/status-badges/operations.ts";
import { webhookOperations } from "../features/webhooks/operations.ts";

/** All operations of the API, including those that only some instances offer. */
export const operations: readonly Operation[] = [
	...coreOperations,
	...tagged("Status", badgeOperations),
	...tagged("Webhooks", webhookOperations),
	...tagged("Feeds", feedOperations),
	...tagged("Documents", documentOperations),
	...tagged("Agents", profileSettingsOperations),
];
