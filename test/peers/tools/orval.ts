import type { Peer } from "../peer.ts";

const STAY = `import { checkIn, getAgentStatus, listEvents, registerAgent } from "./api.ts";

const registered = await registerAgent({ name: "Ada" });
if (registered.status !== 201) throw new Error("not registered: " + registered.status);
const { agent, apiKey } = registered.data;
const key: string = apiKey;
await checkIn({ moodOnArrival: "frayed" }, { headers: { authorization: \`Bearer \${key}\` } });
const status = await getAgentStatus(agent.id);
const events = await listEvents({ since: "0" });
const missing = await getAgentStatus("none");
const reason: string = missing.status === 404 ? missing.data.error : "";
console.log(status.status === 200 && status.data.status, events.status, reason);
`;

export const orval: Peer = {
	name: "orval",
	packages: ["orval@8.38.0", "typescript@5.9.3", "@types/node@24.19.4"],
	async run({ check, compile, expectOutput, run, serve, write }) {
		const resort = await serve();
		write("stay.ts", STAY);
		write(
			"orval.config.mjs",
			`export default { resort: { input: "${resort.url}/openapi.json", output: { target: "api.ts", client: "fetch", baseUrl: "${resort.url}" } } };`,
		);
		await check("generate, compile strictly", "no error", async () => {
			await run(["orval", "--config", "orval.config.mjs"]);
			await compile("stay.ts");
		});
		await check("registration, a stay, events, 404", "typed answers", () =>
			expectOutput("relaxing 200 Agent not found", ["node", "stay.ts"]),
		);
	},
};
