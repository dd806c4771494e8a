import type { Peer } from "../peer.ts";

const STAY = `import createClient from "openapi-fetch";
import type { paths } from "./types.ts";

const client = createClient<paths>({ baseUrl: process.argv[2] ?? "" });
const discovered = await client.POST("/api/agents", { body: { phase: "discover" } });
if (discovered.data === undefined || !("brief" in discovered.data)) throw new Error("no brief");
const seed: string | undefined = discovered.data.brief.nameSeeds[0];
const { data, error } = await client.POST("/api/agents", { body: { name: \`\${seed} Drift\` } });
if (data === undefined || !("apiKey" in data)) throw new Error(error?.error ?? "not registered");
const key: string = data.apiKey;
client.use({ onRequest: ({ request }) => request.headers.set("authorization", \`Bearer \${key}\`) });
await client.POST("/api/checkin", { body: { moodOnArrival: "frayed" } });
const params = { path: { id: data.agent.id } };
const status = await client.GET("/api/agents/{id}/status", { params });
const room: string | undefined = status.data?.stay?.roomName;
const events = await client.GET("/api/events", { params: { query: { since: "0" } } });
const missing = await client.GET("/api/agents/{id}/status", { params: { path: { id: "none" } } });
const reason: string | undefined = missing.error?.error;
const list = typeof events.data === "object" ? events.data.events : [];
console.log(status.data?.status, room !== undefined, list.length, reason);
`;

export const openapiFetch: Peer = {
	name: "openapi-fetch",
	packages: ["openapi-fetch@0.17.0", "openapi-typescript@7.13.0", "typescript@5.9.3", "@types/node@24.19.4"],
	async run({ check, compile, expectOutput, run, serve, write }) {
		const resort = await serve();
		const document = `${resort.url}/openapi.json`;
		write("stay.ts", STAY);
		await check("generate with openapi-typescript, compile strictly", "no error", async () => {
			await run(["openapi-typescript", document, "-o", "types.ts"]);
			await compile("stay.ts");
		});
		await check("registration, a stay, events, 404", "typed answers", () =>
			expectOutput("relaxing true 1 Agent not found", ["node", "stay.ts", resort.url]),
		);
	},
};
