/**
 * Tests the recipes in docs/recipes.md with the programs that they use. Some of these are Debian packages:
 * redis-server, python3-celery, python3-redis, prometheus and prometheus-blackbox-exporter.
 */
import { expect } from "bun:test";
import { freePorts } from "../../deploy/nginx.ts";
import { resortAt } from "../../support/calls.ts";
import { blocksOf, partOf } from "../../support/documents.ts";
import { until } from "../../support/until.ts";
import { type Context, testPeer } from "../peer.ts";

/** An address at which nothing listens. */
const NOWHERE = "http://127.0.0.1:9";

/**
 * How many seconds of the stay remain when a recipe's program starts. The 409 response that the program gets
 * has the remaining seconds in `Retry-After`.
 */
const LEFT_SECONDS = 5;

/** Returns a block of code from docs/recipes.md. */
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

/** Starts a resort with a guest that stays until `leave` is called. */
async function serveLongGuest({ serve }: Context) {
	const resort = await serve();
	const guest = await resortAt(resort.url).guest();
	const leave = () => resortAt(resort.url).send("POST", "/api/checkout", { key: guest.key });
	return { guest, leave, env: { RESORT_URL: resort.url, ID: guest.id } };
}

/** Returns a command that runs `command` with environment variables. */
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

/**
 * Runs the worker of a queue twice: while the agent relaxes, and with an address at which no resort listens.
 * Both times, the worker must finally print "assign letter": it has assigned the job "letter" to the agent.
 */
async function tryQueue(context: Context, worker: readonly string[], add: readonly string[]): Promise<void> {
	const assign = async (env: Readonly<Record<string, string>>) => {
		const all = { ...env, REDIS_URL: await startRedis(context) };
		await context.run(add, all);
		await context.start(withEnv(all, ...worker), "assign letter");
	};
	const { resort, env } = await serveGuest(context);
	await assign(env);
	// `calls` returns the newest call first. The first call got 409; the last, after `Retry-After`, got 200.
	const statuses = (await resort.calls({ operation: "getAgentStatus" })).map(({ status }) => status);
	expect([statuses.at(-1), statuses[0]]).toEqual([409, 200]);
	await assign({ RESORT_URL: NOWHERE, ID: "nobody" });
}

testPeer("recipes-bullmq", ["bullmq@6.7.0", "ioredis@6.0.0"], async (context) => {
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
});

/** Debian's Python, which finds Debian's Celery. */
const PYTHON = "/usr/bin/python3";

testPeer("recipes-celery", [], async (context) => {
	context.write("recipe.py", recipe("Celery", "python"));
	const worker = [PYTHON, "-m", "celery", "-A", "recipe", "worker", "-c", "1", "--loglevel", "info"];
	await tryQueue(context, worker, [PYTHON, "-c", 'import recipe; recipe.assign.delay("letter")']);
});

testPeer("recipes-temporal", ["@temporalio/activity@1.24.0"], async (context) => {
	const { expectOutput, write } = context;
	write("recipe.mjs", recipe("Temporal", "js"));
	write(
		"run.mjs",
		`import { requireAvailable } from "./recipe.mjs";
const outcome = await requireAvailable(process.env.ID).catch((error) => error);
console.log(outcome?.name, outcome?.nextRetryDelay);
`,
	);
	const { env, leave } = await serveLongGuest(context);
	await expectOutput("ApplicationFailure 60 seconds", ["node", "run.mjs"], env);
	await leave();
	await expectOutput("undefined undefined", ["node", "run.mjs"], env);
	await expectOutput("undefined undefined", ["node", "run.mjs"], { ...env, RESORT_URL: NOWHERE });
});

const LANGGRAPH = ["@langchain/langgraph@1.7.3", "@langchain/core@1.4.0"];

testPeer("recipes-langgraph", LANGGRAPH, async (context) => {
	const { expectOutput, write } = context;
	// With the waiting time in the recipe, the test would take 20 s.
	write("recipe.mjs", recipe("LangGraph", "js").replace("wait=20", "wait=1"));
	write(
		"run.mjs",
		`import { graph } from "./recipe.mjs";
const { answer, done } = await graph.invoke({ id: process.env.ID });
console.log(answer, done);
`,
	);
	const { guest, env, leave } = await serveLongGuest(context);
	await expectOutput("409 undefined", ["node", "run.mjs"], env);
	await leave();
	await expectOutput(`200 assign ${guest.id}`, ["node", "run.mjs"], env);
	const there = { ...env, RESORT_URL: NOWHERE };
	await expectOutput(`undefined assign ${guest.id}`, ["node", "run.mjs"], there);
});

testPeer("recipes-claude-code", ["@anthropic-ai/claude-code@2.1.332"], async (context) => {
	context.write("settings.json", recipe("Claude Code", "json"));
	const { env, leave } = await serveLongGuest(context);
	let prompts = 0;
	// Replaces the language model. Counts the prompts, and refuses all of them.
	using model = Bun.serve({
		port: 0,
		hostname: "127.0.0.1",
		fetch() {
			prompts++;
			const error = { type: "invalid_request_error", message: "no model" };
			return Response.json({ type: "error", error }, { status: 400 });
		},
	});
	const ask = (more = {}) => {
		prompts = 0;
		return context.run(["sh", "-c", "claude -p hello --settings settings.json || true"], {
			...env,
			ANTHROPIC_API_KEY: "none",
			ANTHROPIC_BASE_URL: model.url.origin,
			CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
			...more,
		});
	};
	expect(await ask()).toContain("The agent is relaxing.");
	expect(prompts).toBe(0);
	await leave();
	for (const more of [{}, { RESORT_URL: NOWHERE }]) {
		expect(await ask(more)).toContain("no model");
		expect(prompts).toBeGreaterThan(0);
	}
});

testPeer("recipes-prometheus", [], async (context) => {
	const { start, write } = context;
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
	await untilStatus("409");
	await leave();
	await untilStatus("200");
	const probe = `http://127.0.0.1:${prober}/probe?module=available&target=${NOWHERE}`;
	expect(await (await fetch(probe)).text()).toContain("\nprobe_http_status_code 0\n");
});
