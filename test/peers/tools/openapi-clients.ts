import { type Context, testPeer } from "../peer.ts";

/** A generator of clients from the OpenAPI document, or a client that reads the document at run time. */
interface Generator {
	readonly name: string;
	readonly packages: readonly string[];
	/** Generates the client in the test's folder from the OpenAPI document, whose URL is `document`. */
	generate?(context: Context, document: string): Promise<void>;
	/** A TypeScript program that registers and checks in with the client. Its argument is the resort's URL. */
	readonly stay: string;
	/** The last line that the program `stay` prints. */
	readonly prints: string;
	/**
	 * Whether the generated files import each other without extensions, so that the program needs a bundler.
	 */
	readonly isBundled?: true;
}

const TYPESCRIPT = ["typescript@5.9.3", "@types/node@24.19.4"];

const generators: readonly Generator[] = [
	{
		name: "swagger-client",
		packages: ["swagger-client@3.39.0"],
		// The client's Accept field lists every media type in the document, `text/event-stream` too. Even so,
		// `listEvents` must return a list as JSON, not the endless stream.
		stay: `import SwaggerClient from "swagger-client";

const url = process.argv[2] + "/openapi.json";
const visitor = await SwaggerClient(url);
if (visitor.errors.length > 0) throw visitor.errors[0];
const { body } = await visitor.apis.Agents.registerAgent({}, { requestBody: { name: "Ada" } });
const guest = await SwaggerClient({ url, authorizations: { bearerKey: { value: body.apiKey } } });
await guest.apis.Stays.checkIn({}, { requestBody: { moodOnArrival: "frayed" } });
const status = await visitor.apis.Status.getAgentStatus({ id: body.agent.id });
const events = await visitor.apis.Events.listEvents({ since: "0" });
const missing = await visitor.apis.Agents.getAgent({ id: "none" }).catch((error) => error.response);
console.log(status.body.status, events.body.events.length, missing.body.error);
`,
		prints: "relaxing 1 Agent not found",
	},
	{
		name: "openapi-fetch",
		packages: ["openapi-fetch@0.17.0", "openapi-typescript@7.13.0", ...TYPESCRIPT],
		async generate({ run, compile }, document) {
			await run(["openapi-typescript", document, "-o", "types.ts"]);
			await compile("stay.ts");
		},
		stay: `import createClient from "openapi-fetch";
import type { paths } from "./types.ts";

const client = createClient<paths>({ baseUrl: process.argv[2] ?? "" });
const { data, error } = await client.POST("/api/agents", { body: { name: "Ada" } });
if (data === undefined || !("apiKey" in data)) throw new Error(error?.error ?? "not registered");
const key: string = data.apiKey;
client.use({ onRequest: ({ request }) => request.headers.set("authorization", \`Bearer \${key}\`) });
await client.POST("/api/checkin", { body: { moodOnArrival: "frayed" } });
const status = await client.GET("/api/agents/{id}/status", { params: { path: { id: data.agent.id } } });
const events = await client.GET("/api/events", { params: { query: { since: "0" } } });
const list = typeof events.data === "object" ? events.data.events : [];
const missing = await client.GET("/api/agents/{id}", { params: { path: { id: "none" } } });
const reason: string | undefined = missing.error?.error;
console.log(status.data?.status, list.length, reason);
`,
		prints: "relaxing 1 Agent not found",
	},
	{
		name: "orval",
		packages: ["orval@8.38.0", ...TYPESCRIPT],
		async generate({ run, compile, write }, document) {
			const output = { target: "api.ts", client: "fetch", baseUrl: new URL(document).origin };
			write("orval.config.mjs", `export default ${JSON.stringify({ resort: { input: document, output } })};`);
			await run(["orval", "--config", "orval.config.mjs"]);
			await compile("stay.ts");
		},
		stay: `import { checkIn, getAgentStatus, listEvents, registerAgent } from "./api.ts";

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
`,
		prints: "relaxing 200 Agent not found",
	},
	{
		name: "hey-api",
		packages: ["@hey-api/openapi-ts@0.99.0", "esbuild@0.28.2", ...TYPESCRIPT],
		async generate({ run, compile }, document) {
			await run(["openapi-ts", "-i", document, "-o", "api"]);
			await compile("stay.ts");
		},
		stay: `import { client } from "./api/client.gen";
import { checkIn, getAgent, getAgentStatus, listEvents, registerAgent } from "./api/sdk.gen";

const baseUrl = process.argv[2] ?? "";
client.setConfig({ baseUrl });
const { data, error } = await registerAgent({ body: { name: "Ada" } });
if (data === undefined || !("apiKey" in data)) throw new Error(error?.error ?? "not registered");
client.setConfig({ baseUrl, auth: data.apiKey });
await checkIn();
const status = await getAgentStatus({ path: { id: data.agent.id } });
const events = await listEvents({ query: { since: "0" } });
const list = typeof events.data === "object" ? events.data.events : [];
const missing = await getAgent({ path: { id: "none" } });
console.log(status.data?.status, list.length, missing.error?.error);
`,
		prints: "relaxing 1 Agent not found",
		isBundled: true,
	},
	{
		// Generates Zod schemas, and a Zodios client that validates each request and response with these schemas.
		name: "openapi-zod-client",
		packages: [
			"openapi-zod-client@1.18.3",
			"@zodios/core@10.9.6",
			"zod@3.25.76",
			"axios@1.21.1",
			...TYPESCRIPT,
		],
		async generate({ run, compile, write }, document) {
			const response = await fetch(document);
			const openapi = Object(await response.json());
			// The generator uses only the first success response of an operation. Here that would be the 200
			// response for `"phase": "discover"`, so it is removed. A registration returns 201.
			delete openapi.paths["/api/agents"].post.responses["200"];
			write("openapi.json", JSON.stringify(openapi));
			await run(["openapi-zod-client", "openapi.json", "-o", "api.ts"]);
			await compile("stay.ts");
		},
		stay: `import { createApiClient } from "./api.ts";

const api = createApiClient(process.argv[2] ?? "");
const { agent, apiKey } = await api.registerAgent({ name: "Ada" });
const headers = { authorization: \`Bearer \${apiKey}\` };
await api.checkIn({ moodOnArrival: "frayed" }, { headers });
const { activities } = await api.listActivities();
await api.doActivity({ notes: "Slow." }, { params: { id: activities[0]?.id ?? "" }, headers });
const status = await api.getAgentStatus({ params: { id: agent.id } });
const { events } = await api.listEvents({ queries: { since: "0" } });
await api.getOverview({ headers });
const { summary } = await api.checkOut({}, { headers });
const points: number = summary.relaxationPoints;
console.log(status.status, events.length, points > 0);
`,
		prints: "relaxing 2 true",
	},
];

for (const { name, packages, stay, prints, isBundled, generate } of generators) {
	testPeer(name, packages, async (context) => {
		const { expectOutput, run, serve, write } = context;
		const resort = await serve();
		const source = generate === undefined ? "stay.mjs" : "stay.ts";
		write(source, stay);
		await generate?.(context, `${resort.url}/openapi.json`);
		if (isBundled) {
			await run(["esbuild", source, "--bundle", "--platform=node", "--format=esm", "--outfile=stay.mjs"]);
		}
		await expectOutput(prints, ["node", isBundled ? "stay.mjs" : source, resort.url]);
	});
}
