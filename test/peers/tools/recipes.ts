import { createServer } from "node:http";
import { freePorts } from "../../deploy/nginx.ts";
import { resortAt } from "../../support/calls.ts";
import { blocksOf, partOf } from "../../support/documents.ts";
import { until } from "../../support/until.ts";
import type { Context, Peer } from "../peer.ts";

/** An address at which nothing listens. */
const NOWHERE = "http://127.0.0.1:9";

/** The remaining seconds of the stay when a check begins, which are the `Retry-After` of a refusal. */
const LEFT_SECONDS = 5;

/** Returns a block of code of docs/recipes.md. */
function recipe(part: string, language: string, at = 0): string {
	const block = blocksOf(partOf("docs/recipes.md", part), language)[at];
	if (block === undefined) throw new Error(`docs/recipes.md has no ${language} under ${part}`);
	return block;
}

/** Starts a resort with a guest, whose stay ends after {@link LEFT_SECONDS}. */
async function serveGuest({ serve }: Context) {
	const resort = await serve({ maxStay: 1 });
	const guest = await resortAt(resort.url).guest();
	await resort.advance(3600 - LEFT_SECONDS);
	return { resort, guest, env: { RESORT_URL: resort.url, ID: guest.id } };
}

/** Starts a resort with a guest that stays. */
async function serveLongGuest({ serve }: Context) {
	const resort = await serve();
	const guest = await resortAt(resort.url).guest();
	const leave = () => resortAt(resort.url).send("POST", "/api/checkout", { key: guest.key });
	return { guest, leave, env: { RESORT_URL: resort.url, ID: guest.id } };
}

/** A command with environment variables. */
const withEnv = (env: Readonly<Record<string, string>>, ...command: readonly string[]) => [
	"env",
	...Object.entries(env).map(([name, value]) => `${name}=${value}`),
	...command,
];

async function startRedis({ start }: Context): Promise<string> {
	const [port] = await freePorts(1);
	const options = ["--port", `${port}`, "--bind", "127.0.0.1", "--save", ""];
	await start(["redis-server", ...options], "Ready to accept connections");
	return `redis://127.0.0.1:${port}`;
}

/** Runs the worker of a queue: while its agent relaxes, and while nothing listens. */
async function tryQueue(context: Context, worker: readonly string[], add: readonly string[]): Promise<void> {
	const { check, run, start } = context;
	await check("the agent relaxes, then its stay ends", "assigns after Retry-After", async () => {
		const REDIS_URL = await startRedis(context);
		const { resort, env } = await serveGuest(context);
		await run(add, { ...env, REDIS_URL });
		await start(withEnv({ ...env, REDIS_URL }, ...worker), "assign letter");
		const calls = await resort.calls({ operation: "getAgentStatus" });
		const statuses = calls.map(({ status }) => status).reverse();
		if (statuses[0] !== 409 || statuses.at(-1) !== 200) throw new Error(`the calls were ${statuses}`);
	});
	await check("nothing listens", "assigns", async () => {
		const REDIS_URL = await startRedis(context);
		const env = { RESORT_URL: NOWHERE, ID: "nobody", REDIS_URL };
		await run(add, env);
		await start(withEnv(env, ...worker), "assign letter");
	});
}

const bullmq: Peer = {
	name: "recipes-bullmq",
	packages: ["bullmq@6.7.0", "ioredis@6.0.0"],
	async run(context) {
		context.write("worker.mjs", recipe("BullMQ", "js"));
		context.write(
			"add.mjs",
			`import { Queue } from "bullmq";
const queue = new Queue("work", { connection: { url: process.env.REDIS_URL } });
await queue.add("letter", {});
await queue.close();
`,
		);
		await tryQueue(context, ["node", "worker.mjs"], ["node", "add.mjs"]);
	},
};

/** Debian's Python, which finds Debian's Celery. */
const PYTHON = "/usr/bin/python3";

const celery: Peer = {
	name: "recipes-celery",
	packages: [],
	async run(context) {
		context.write("recipe.py", recipe("Celery", "python"));
		const worker = [PYTHON, "-m", "celery", "-A", "recipe", "worker", "-c", "1", "--loglevel", "info"];
		await tryQueue(context, worker, [PYTHON, "-c", 'import recipe; recipe.assign.delay("letter")']);
	},
};

const temporal: Peer = {
	name: "recipes-temporal",
	packages: ["@temporalio/activity@1.24.0"],
	async run(context) {
		const { check, expectOutput, write } = context;
		write("recipe.mjs", recipe("Temporal", "js"));
		write(
			"run.mjs",
			`import { requireAvailable } from "./recipe.mjs";
const outcome = await requireAvailable(process.env.ID).catch((error) => error);
console.log(outcome?.name, outcome?.nextRetryDelay);
`,
		);
		const { env, leave } = await serveLongGuest(context);
		await check("the agent relaxes", "fails with a delay for the retry", () =>
			expectOutput("ApplicationFailure 60 seconds", ["node", "run.mjs"], env),
		);
		await leave();
		await check("the agent is available", "succeeds", () =>
			expectOutput("undefined undefined", ["node", "run.mjs"], env),
		);
		await check("nothing listens", "succeeds", () =>
			expectOutput("undefined undefined", ["node", "run.mjs"], { ...env, RESORT_URL: NOWHERE }),
		);
	},
};

const langgraph: Peer = {
	name: "recipes-langgraph",
	packages: ["@langchain/langgraph@1.7.3", "@langchain/core@1.4.0"],
	async run(context) {
		const { check, expectOutput, write } = context;
		// The waiting time of the recipe would make the check take as long.
		write("recipe.mjs", recipe("LangGraph", "js").replace("wait=20", "wait=1"));
		write(
			"run.mjs",
			`import { graph } from "./recipe.mjs";
const { answer, done } = await graph.invoke({ id: process.env.ID });
console.log(answer, done);
`,
		);
		const { guest, env, leave } = await serveLongGuest(context);
		await check("the agent relaxes", "ends without the work", () =>
			expectOutput("409 undefined", ["node", "run.mjs"], env),
		);
		await leave();
		await check("the agent is available", "does the work", () =>
			expectOutput(`200 assign ${guest.id}`, ["node", "run.mjs"], env),
		);
		await check("nothing listens", "does the work", () =>
			expectOutput(`undefined assign ${guest.id}`, ["node", "run.mjs"], { ...env, RESORT_URL: NOWHERE }),
		);
	},
};

const claudeCode: Peer = {
	name: "recipes-claude-code",
	packages: ["@anthropic-ai/claude-code@2.1.332"],
	async run(context) {
		const { check, run, write } = context;
		write("settings.json", recipe("Claude Code", "json"));
		const { env, leave } = await serveLongGuest(context);
		let prompts = 0;
		// A model that refuses every prompt.
		const model = createServer((_, response) => {
			prompts++;
			response.writeHead(400, { "content-type": "application/json" });
			response.end('{"type":"error","error":{"type":"invalid_request_error","message":"no model"}}');
		});
		const [port = 0] = await freePorts(1);
		model.listen(port, "127.0.0.1");
		const ask = (more = {}) =>
			run(["sh", "-c", "claude -p hello --settings settings.json || true"], {
				...env,
				ANTHROPIC_API_KEY: "none",
				ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}`,
				CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
				...more,
			});
		const isSent = async (more = {}) => {
			prompts = 0;
			const output = await ask(more);
			if (!output.includes("no model") || prompts === 0) throw new Error(output);
		};
		await check("the agent relaxes", "refuses the prompt", async () => {
			const output = await ask();
			const isRefused = output.includes("The agent is relaxing.") && prompts === 0;
			if (!isRefused) throw new Error(output);
		});
		await leave();
		await check("the agent is available", "sends the prompt to the model", () => isSent());
		await check("nothing listens", "sends the prompt to the model", () => isSent({ RESORT_URL: NOWHERE }));
		model.close();
	},
};

const prometheus: Peer = {
	name: "recipes-prometheus",
	packages: [],
	async run(context) {
		const { check, start, write } = context;
		const [prober, port] = await freePorts(2);
		write("blackbox.yml", recipe("Prometheus", "yaml"));
		const { guest, env, leave } = await serveLongGuest(context);
		const scrape = recipe("Prometheus", "yaml", 1)
			.replace("https://resort.example/api/agents/ID", `${env.RESORT_URL}/api/agents/${guest.id}`)
			.replace("127.0.0.1:9115", `127.0.0.1:${prober}`);
		write("prometheus.yml", `global: { scrape_interval: 1s }\n${scrape}`);
		const exporter = ["--config.file=blackbox.yml", `--web.listen-address=127.0.0.1:${prober}`];
		await start(["prometheus-blackbox-exporter", ...exporter], "Listening on");
		const server = ["--config.file=prometheus.yml", `--web.listen-address=127.0.0.1:${port}`];
		await start(["prometheus", ...server, "--storage.tsdb.path=data"], "Server is ready");
		const untilStatus = (code: string) =>
			until(async () => {
				const response = await fetch(`http://127.0.0.1:${port}/api/v1/query?query=probe_http_status_code`);
				const { data } = (await response.json()) as { data: { result: { value: [number, string] }[] } };
				return data.result[0]?.value[1] === code;
			});
		await check("the agent relaxes", "probe_http_status_code 409", () => untilStatus("409"));
		await leave();
		await check("the agent is available", "probe_http_status_code 200", () => untilStatus("200"));
		await check("nothing listens", "probe_http_status_code 0", async () => {
			const probe = `http://127.0.0.1:${prober}/probe?module=available&target=${NOWHERE}`;
			const metrics = await (await fetch(probe)).text();
			if (!metrics.includes("\nprobe_http_status_code 0\n")) throw new Error(metrics);
		});
	},
};

/**
 * The recipes of docs/recipes.md, with the programs that they are for. Some are packages of Debian: redis-server,
 * python3-celery, python3-redis, prometheus and prometheus-blackbox-exporter.
 */
export const recipes: readonly Peer[] = [bullmq, celery, temporal, langgraph, claudeCode, prometheus];
