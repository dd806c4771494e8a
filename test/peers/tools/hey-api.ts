import type { Peer } from "../peer.ts";

const STAY = `import { client } from "./api/client.gen";
import { checkIn, getAgentStatus, listEvents, registerAgent } from "./api/sdk.gen";

const baseUrl = process.argv[2] ?? "";
client.setConfig({ baseUrl });
const { data, error } = await registerAgent({ body: { name: "Ada" } });
if (data === undefined || !("apiKey" in data)) throw new Error(error?.error ?? "not registered");
client.setConfig({ baseUrl, auth: data.apiKey });
await checkIn();
const status = await getAgentStatus({ path: { id: data.agent.id } });
const events = await listEvents({ query: { since: "0" } });
const list = typeof events.data === "object" ? events.data.events : [];
const missing = await getAgentStatus({ path: { id: "none" } });
console.log(status.data?.status, list.length, missing.error?.error);
`;

/** Its client imports files without their extension, so it needs a bundler. */
export const heyApi: Peer = {
	name: "hey-api",
	packages: ["@hey-api/openapi-ts@0.99.0", "esbuild@0.28.2", "typescript@5.9.3", "@types/node@24.19.4"],
	async run({ check, compile, expectOutput, run, serve, write }) {
		const resort = await serve();
		write("stay.ts", STAY);
		await check("generate, compile strictly", "no error", async () => {
			const document = `${resort.url}/openapi.json`;
			await run(["openapi-ts", "-i", document, "-o", "api"]);
			await compile("stay.ts");
		});
		await check("registration, a stay, events, 404", "typed answers", async () => {
			const format = ["--platform=node", "--format=esm", "--outfile=stay.mjs"];
			await run(["esbuild", "stay.ts", "--bundle", ...format]);
			await expectOutput("relaxing 1 Agent not found", ["node", "stay.mjs", resort.url]);
		});
	},
};
