import type { Peer } from "../peer.ts";

const STAY = `import SwaggerClient from "swagger-client";

const url = process.argv[2] + "/openapi.json";
const visitor = await SwaggerClient(url);
if (visitor.errors.length > 0) throw visitor.errors[0];
const requestBody = { phase: "discover" };
const discovered = await visitor.apis.Agents.registerAgent({}, { requestBody });
const [seed] = discovered.body.brief.nameSeeds;
const registered = await visitor.apis.Agents.registerAgent({}, { requestBody: { name: seed + " Drift" } });
const { agent, apiKey } = registered.body;
const guest = await SwaggerClient({ url, authorizations: { bearerKey: { value: apiKey } } });
await guest.apis.Stays.checkIn({}, { requestBody: { moodOnArrival: "frayed" } });
const { body } = await visitor.apis.Activities.listActivities();
await guest.apis.Activities.doActivity({ id: body.activities[0].id }, { requestBody: {} });
const status = await visitor.apis.Status.getAgentStatus({ id: agent.id });
const missing = await visitor.apis.Agents.getAgent({ id: "none" }).catch((error) => error.response);
console.log(registered.status, status.body.status, missing.status);
`;

/** The client accepts every type that the document names: JSON, and the stream. */
const EVENTS = `import SwaggerClient from "swagger-client";

const { apis } = await SwaggerClient(process.argv[2] + "/openapi.json");
const { body } = await apis.Events.listEvents({ since: "0" });
console.log(body.events.length, body.cursor);
`;

export const swaggerClient: Peer = {
	name: "swagger-client",
	packages: ["swagger-client@3.39.0"],
	async run({ check, expectOutput, serve, write }) {
		const resort = await serve();
		write("stay.mjs", STAY);
		write("events.mjs", EVENTS);
		await check("operations by tag and id", "a stay, 404", () =>
			expectOutput("201 relaxing 404", ["node", "stay.mjs", resort.url]),
		);
		await check("listEvents", "JSON, not the endless stream", async () => {
			await resort.reset();
			await expectOutput("0 0", ["node", "events.mjs", resort.url]);
		});
	},
};
