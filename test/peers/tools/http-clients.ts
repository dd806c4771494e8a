import { testPeer } from "../peer.ts";

/**
 * Clients that repeat a call after the time in `Retry-After`. Each `program` defines `getJson(url)`, which
 * repeats the call after a 429 or 503 response.
 */
const clients = {
	got: {
		packages: ["got@16.1.0"],
		program: `import got from "got";

const getJson = (url) => got(url).json();
`,
	},
	undici: {
		packages: ["undici@8.13.1"],
		program: `import { Agent, interceptors, request } from "undici";

const dispatcher = new Agent().compose(interceptors.decompress(), interceptors.retry({ minTimeout: 10 }));
const getJson = async (url) => (await request(url, { dispatcher, headers: { "accept-encoding": "gzip, deflate, br" } })).body.json();
`,
	},
};

const CALLS = `import { connect } from "agent-resort/testing";

const resort = await connect(process.argv[2]);
for (const status of [429, 503]) {
	await resort.fault({ operation: "listActivities", status, retryAfterSeconds: 1 });
	const began = performance.now();
	const { activities } = await getJson(resort.url + "/api/activities");
	const waitedMs = performance.now() - began;
	if (activities.length === 0 || waitedMs < 900 || waitedMs > 3_000) throw new Error(status + ": " + waitedMs + " ms");
}
const calls = await resort.calls({ operation: "listActivities" });
console.log(calls.map(({ status }) => status).join());
`;

for (const [name, { packages, program }] of Object.entries(clients)) {
	testPeer(name, packages, async ({ expectOutput, installModule, serve, write }) => {
		await installModule();
		const resort = await serve();
		write("calls.mjs", `${program}${CALLS}`);
		await expectOutput("200,503,200,429", ["node", "calls.mjs", resort.url]);
	});
}
