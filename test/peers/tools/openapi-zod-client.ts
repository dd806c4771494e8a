import type { Peer } from "../peer.ts";

/**
 * The generator takes the first success only, so the document is given without the response of the phase
 * `discover`.
 */
const DOCUMENT = `const document = await (await fetch(process.argv[2] + "/openapi.json")).json();
delete document.paths["/api/agents"].post.responses["200"];
console.log(JSON.stringify(document));
`;

const STAY = `import { createApiClient, schemas } from "./api.ts";

const api = createApiClient(process.argv[2] ?? "");
const { agent, apiKey } = await api.registerAgent({ name: "Ada" });
const headers = { authorization: \`Bearer \${apiKey}\` };
await api.checkIn({ moodOnArrival: "frayed" }, { headers });
const { activities } = await api.listActivities();
const params = { id: activities[0]?.id ?? "" };
await api.doActivity({ notes: "Slow." }, { params, headers });
const made = await api.createExperience(
	{ name: "Slow walk", category: "walks", description: "Around the pond.", location: "Pond", durationMinutes: 30 },
	{ headers },
);
const done = await api.doExperience({}, { params: { id: made.experience.id }, headers });
await api.sendPostcard({ message: "Hello." }, { headers });
const status = await api.getAgentStatus({ params: { id: agent.id } });
schemas.AgentStatus.parse(status);
const { events } = await api.listEvents({ queries: { since: "0" } });
await api.getOverview({ headers });
const { summary } = await api.checkOut({}, { headers });
const points: number = done.relaxationPoints;
console.log(status.status, events.length, points === summary.relaxationPoints);
`;

/** Generates schemas of Zod, and a client of Zodios that validates each request and response with them. */
export const openapiZodClient: Peer = {
	name: "openapi-zod-client",
	packages: [
		"openapi-zod-client@1.18.3",
		"@zodios/core@10.9.6",
		"zod@3.25.76",
		"axios@1.21.1",
		"typescript@5.9.3",
		"@types/node@24.19.4",
	],
	async run({ check, compile, expectOutput, run, serve, write }) {
		const resort = await serve();
		write("document.mjs", DOCUMENT);
		write("openapi.json", await run(["node", "document.mjs", resort.url]));
		write("stay.ts", STAY);
		await check("generate, compile strictly", "no error", async () => {
			await run(["openapi-zod-client", "openapi.json", "-o", "api.ts"]);
			await compile("stay.ts");
		});
		await check("a stay, with Zodios", "all answers are valid", () =>
			expectOutput("relaxing 5 true", ["node", "stay.ts", resort.url]),
		);
	},
};
