/**
 * Tries tools of other projects with the built executable: `npm run peers [-- -t NAME]`. The packages are
 * downloaded once, into a cache in the folder for temporary files.
 */
import { expect, test } from "bun:test";
import { constants } from "node:os";
import { createContext } from "./context.ts";
import type { Peer } from "./peer.ts";
import { browserStreams } from "./tools/browser-streams.ts";
import { eventSource } from "./tools/event-source.ts";
import { httpClients } from "./tools/http-clients.ts";
import { interceptorPeers } from "./tools/interceptors.ts";
import { linters } from "./tools/linters.ts";
import { mcpFrameworks } from "./tools/mcp-frameworks.ts";
import { mcpRemote } from "./tools/mcp-remote.ts";
import { openapiClients } from "./tools/openapi-clients.ts";
import { recipes } from "./tools/recipes.ts";
import { testRunners } from "./tools/test-runners.ts";

const peers: readonly Peer[] = [
	...openapiClients,
	...linters,
	...httpClients,
	...browserStreams,
	eventSource,
	mcpRemote,
	...mcpFrameworks,
	...testRunners,
	...interceptorPeers,
	...recipes,
];

// The processes of the tools do not belong to the terminal, so they are killed when this one exits.
for (const signal of ["SIGINT", "SIGTERM"] as const) {
	process.on(signal, () => process.exit(128 + constants.signals[signal]));
}

test.each(peers)("$name", async (peer) => {
	await using context = await createContext(peer);
	await peer.run(context);
	expect(context.failures).toEqual([]);
});
