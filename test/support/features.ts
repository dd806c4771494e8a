import { admin } from "../features/admin/test-feature.ts";
import { documents } from "../features/documents/test-feature.ts";
import { identityProvider } from "../features/identity-provider/test-feature.ts";
import { mcp } from "../features/mcp/test-feature.ts";
import { pages } from "../features/pages/test-feature.ts";
import { postgres } from "../features/postgres/test-feature.ts";
import { testing } from "../features/testing/test-feature.ts";
import { webhooks } from "../features/webhooks/test-feature.ts";
import type { ServerDatabases, TestFeature } from "./test-feature.ts";

/** What each feature adds to the resorts in tests. */
export const testFeatures: readonly TestFeature[] = [
	postgres,
	documents,
	pages,
	webhooks,
	identityProvider,
	mcp,
	testing,
	admin,
];

/** Returns the functions that create, open and drop databases on the server in RESORT_TEST_POSTGRES. */
export function testServerDatabases(): ServerDatabases {
	const databases = testFeatures.map((feature) => feature.databases).find((one) => one !== undefined);
	if (databases === undefined) throw new Error("no feature opens databases on a server");
	return databases;
}
