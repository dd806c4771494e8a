import { testPeer } from "../peer.ts";

/**
 * Libraries that replace the network in a test. Each `program` refuses unexpected calls, and `exception`
 * allows calls to the instance.
 */
const interceptors = {
	msw: {
		packages: ["msw@3.0.5"],
		program: `import { http, HttpResponse, passthrough } from "msw";
import { setupServer } from "msw/node";

const server = setupServer(http.get("https://example.com/", () => HttpResponse.json({})));
server.listen({ onUnhandledFrame: "error" });
`,
		exception: `server.use(http.all(resort.url + "/*", () => passthrough()));
`,
	},
	nock: {
		packages: ["nock@15.0.6"],
		program: `import nock from "nock";

nock.disableNetConnect();
`,
		exception: `nock.enableNetConnect("127.0.0.1");
`,
	},
};

const VISIT = `import { startResort } from "agent-resort/testing";

const resort = await startResort();
`;

const CALLS = `await resort.fault({ operation: "getLobby", status: 503, times: 0 });
const { length } = await resort.faults();
await resort.reset();
await resort.stop();
console.log("faults: " + length);
`;

for (const [name, { packages, program, exception }] of Object.entries(interceptors)) {
	testPeer(name, packages, async ({ expectOutput, installModule, write }) => {
		await installModule();
		write("visit.mjs", `${VISIT}${program}${exception}${CALLS}`);
		await expectOutput("faults: 1", ["node", "visit.mjs"]);
	});
}
