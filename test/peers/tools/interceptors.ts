import type { Peer } from "../peer.ts";

/** Libraries that replace the network of a test, used beside the module. */
const interceptors: readonly {
	readonly name: string;
	readonly packages: readonly string[];
	/** Replaces the network. Other calls than those of the test are errors. */
	readonly program: string;
}[] = [
	{
		name: "msw",
		packages: ["msw@3.0.5"],
		program: `import { http, HttpResponse } from "msw";
import { setupServer } from "msw/node";

const server = setupServer(http.get("https://example.com/", () => HttpResponse.json({})));
server.listen({ onUnhandledFrame: "error" });
`,
	},
	{
		name: "nock",
		packages: ["nock@15.0.6"],
		program: `import nock from "nock";

nock.disableNetConnect();
`,
	},
];

const VISIT = `import { startResort } from "agent-resort/testing";

const resort = await startResort();
`;

const CALLS = `const isForbidden = await fetch(resort.url + "/api/health").then(() => false, () => true);
await resort.fault({ operation: "getLobby", status: 503 });
console.log("forbidden: " + isForbidden + ", faults: " + (await resort.faults()).length);
await resort.reset();
await resort.stop();
`;

export const interceptorPeers: readonly Peer[] = interceptors.map(
	({ name, packages, program }) => ({
		name,
		packages,
		async run({ check, expectOutput, installModule, write }) {
			await installModule();
			write("visit.mjs", `${VISIT}${program}${CALLS}`);
			await check(
				"fault(), reset(), stop() with all other calls forbidden",
				"reach the instance",
				() => expectOutput("forbidden: true, faults: 1", ["node", "visit.mjs"]),
			);
		},
	}),
);
