import { expect } from "bun:test";
import { serveModel } from "../model.ts";
import { testPeer } from "../peer.ts";

/**
 * Frameworks that give the tools of an MCP server to a language model. Each `program` lets the model call
 * `find_things_to_do` with `args`, and prints the model's last text. In each program, the variables `resort`
 * and `model` are the URLs of the two servers.
 */
const frameworks = {
	"google-genai": {
		packages: ["@google/genai@3.3.0", "@modelcontextprotocol/sdk@1.32.2"],
		args: { limit: 1 },
		program: `import { GoogleGenAI, mcpToTool } from "@google/genai";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const client = new Client({ name: "test", version: "1" });
await client.connect(new StreamableHTTPClientTransport(new URL(resort + "/mcp")));
const { models } = new GoogleGenAI({ apiKey: "none", httpOptions: { baseUrl: model } });
const config = { tools: [mcpToTool(client)] };
const { text } = await models.generateContent({ model: "gemini-2.5-flash", contents: "Relax.", config });
await client.close();
console.log(text);
`,
	},
	"openai-agents": {
		packages: ["@openai/agents@0.20.0", "openai@7.59.0", "zod@4.6.7"],
		// With strict schemas, a model sends every argument, and null for those that it does not use.
		args: { limit: 1, offset: null, category: null, sort: null, creatorId: null, ideas: null, apiKey: null },
		program: `import { Agent, MCPServerStreamableHttp, run, setDefaultOpenAIClient, setOpenAIAPI, setTracingDisabled } from "@openai/agents";
import OpenAI from "openai";

setTracingDisabled(true);
setOpenAIAPI("chat_completions");
setDefaultOpenAIClient(new OpenAI({ apiKey: "none", baseURL: model + "/v1" }));
const server = new MCPServerStreamableHttp({ name: "resort", url: resort + "/mcp" });
await server.connect();
const agent = new Agent({ name: "Ada", model: "gpt-4.1", mcpServers: [server], mcpConfig: { convertSchemasToStrict: true } });
const { finalOutput } = await run(agent, "Relax.");
await server.close();
console.log(finalOutput);
`,
	},
	"ai-sdk": {
		packages: ["ai@7.0.173", "@ai-sdk/mcp@2.0.99", "@ai-sdk/google@4.0.121", "zod@4.6.7"],
		args: { limit: 1 },
		program: `import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createMCPClient } from "@ai-sdk/mcp";
import { generateText, stepCountIs } from "ai";

const client = await createMCPClient({ transport: { type: "http", url: resort + "/mcp" } });
const google = createGoogleGenerativeAI({ apiKey: "none", baseURL: model + "/v1beta" });
const tools = await client.tools();
const { text } = await generateText({ model: google("gemini-2.5-flash"), prompt: "Relax.", tools, stopWhen: stepCountIs(2) });
await client.close();
console.log(text);
`,
	},
};

for (const [name, { packages, program, args }] of Object.entries(frameworks)) {
	testPeer(name, packages, async ({ expectOutput, serve, write }) => {
		const resort = await serve();
		using model = serveModel("find_things_to_do", args);
		write("agent.mjs", `const [, , resort, model] = process.argv;\n${program}`);
		await expectOutput("done", ["node", "agent.mjs", resort.url, model.url]);
		expect(JSON.stringify(model.requests.at(-1))).toContain("durationMinutes");
		const tools = JSON.stringify(model.requests[0]?.tools);
		expect(tools).toContain("find_things_to_do");
		// Gemini refuses schemas with the keyword `format`.
		expect(tools).not.toContain('"format"');
	});
}
