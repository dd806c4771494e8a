import type { Feature } from "../../core/commands/feature.ts";
import { isLoopback } from "../../core/lib/ip-address.ts";

/** Offers the operations as tools of the Model Context Protocol. */
export const mcp = {
	load: async ({ host }) => (await import("./part.ts")).mcpPart(isLoopback(host)),
} satisfies Feature;
