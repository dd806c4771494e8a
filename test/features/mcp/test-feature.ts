import { isLoopback } from "../../../src/core/lib/ip-address.ts";
import { mcpPart } from "../../../src/features/mcp/part.ts";
import type { TestFeature } from "../../support/test-feature.ts";

declare module "../../support/resort.ts" {
	interface Setup {
		/** The address in the setting `host` of the resort; 127.0.0.1 by default. */
		readonly host?: string;
	}
}

/** Adds the MCP tools to the resorts of tests. */
export const mcp: TestFeature = { part: ({ host = "127.0.0.1" }) => mcpPart(isLoopback(host)) };
