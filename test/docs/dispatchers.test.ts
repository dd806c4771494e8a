import { expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Webhook } from "standardwebhooks";
import { freePorts } from "../deploy/nginx.ts";
import type { Registered } from "../support/calls.ts";
import { resortAt } from "../support/calls.ts";
import { blocksOf, readDocument, root } from "../support/documents.ts";
import { serve } from "../support/executable.ts";
import { TemporaryFolder } from "../support/folder.ts";
import { testWith, toolPath } from "../support/tools.ts";
import { until } from "../support/until.ts";

/** The folder with the dispatcher programs that docs/events.md shows. */
const dispatchers = join(root, "examples/dispatcher");

/** Returns the tool that runs a program of examples/dispatcher. */
function runtimeOf(program: string): "python3" | "node" {
	return program.endsWith(".py") ? "python3" : "node";
}

/** Starts a program of examples/dispatcher. */
function dispatch(
	program: string,
	folder: string,
	ids: readonly string[],
	env: { readonly RESORT_URL: string; readonly PORT?: string },
) {
	const runtime = runtimeOf(program);
	const child = spawn(toolPath(runtime) ?? runtime, [join(dispatchers, program), ...ids], {
		cwd: folder,
		env,
		stdio: ["ignore", "pipe", "ignore"],
	});
	const ended = once(child, "exit");
	const assigned: string[] = [];
	createInterface(child.stdout).on("line", (line) => assigned.push(line.replace("assign ", "")));
	return {
		/** The ids of the agents that were given work, in order. */
		assigned,
		untilAssigned: (count: number) =>
			until(() => {
				if (child.exitCode !== null) throw new Error(`${program} has ended`);
				return assigned.length >= count;
			}),
		async stop() {
			child.kill("SIGKILL");
			await ended;
		},
	};
}

const programs = readdirSync(dispatchers).sort();

const page = readDocument("docs/events.md");

test.each(programs)("docs/events.md contains the source of examples/dispatcher/%s", (program) => {
	const language = program.endsWith(".py") ? "python" : "js";
	expect(blocksOf(page, language)).toContain(readFileSync(join(dispatchers, program), "utf8"));
});

/** Starts a resort with `--ephemeral`, but with a database in a folder, which it keeps. */
function open(folder: string, port: number, ...args: readonly string[]) {
	const database = ["--database", join(folder, "resort.sqlite")];
	return serve(["--ephemeral", "--port", String(port), ...database, ...args], { cwd: folder });
}

const following = programs.filter((name) => !name.startsWith("webhook"));

testWith(
	[...new Set(following.map(runtimeOf))],
	`${following.join(", ")} assign work after every check-out, even if they missed its event and the resort has deleted it since`,
	async () => {
		using folder = new TemporaryFolder();
		const [port = 0] = await freePorts(1);
		let resort = await open(folder.path, port);
		const ada = await resort.register();
		const grace = await resort.guest({ name: "Grace" });
		const stranger = await resort.register({ name: "Stranger" });
		const visit = async (agent: Registered) => {
			await resort.checkIn(agent);
			await resort.checkOut(agent);
		};
		const env = { RESORT_URL: resort.url };
		const dispatchings = following.map((program) => dispatch(program, folder.path, [ada.id, grace.id], env));
		const expected: string[] = [];
		const allAssign = async (...ids: readonly string[]) => {
			expected.push(...ids);
			for (const { assigned, untilAssigned } of dispatchings) {
				await untilAssigned(expected.length);
				expect(assigned).toEqual(expected);
			}
		};
		try {
			await allAssign(ada.id);
			await visit(stranger);
			await resort.checkOut(grace);
			await allAssign(grace.id);

			// After the restart, the programs reconnect and receive the events that they missed.
			await resort.stop();
			resort = await open(folder.path, port);
			await visit(grace);
			await allAssign(grace.id);
			await visit(ada);
			await allAssign(ada.id);

			// This time, the missed events are deleted before the programs reconnect, so the programs must read the
			// statuses of all agents again.
			await resort.stop();
			resort = await open(folder.path, 0);
			await visit(grace);
			await resort.stop();
			await Bun.sleep(1_100);
			resort = await open(folder.path, port, "--keep-events", "0.0003");
			await allAssign(ada.id, grace.id);
		} finally {
			for (const dispatching of dispatchings) await dispatching.stop();
			await resort.stop();
		}
	},
);

/** Returns the header fields with which a webhook is signed (https://www.standardwebhooks.com). */
function signed(secret: string, id: string, timestamp: number, body: string) {
	const signature = new Webhook(secret).sign(id, new Date(timestamp * 1_000), body);
	return { "webhook-id": id, "webhook-timestamp": `${timestamp}`, "webhook-signature": signature };
}

for (const program of programs.filter((name) => name.startsWith("webhook"))) {
	const title = `${program} accepts only webhooks with a valid signature, and still receives webhooks after the resort restarts`;
	testWith([runtimeOf(program)], title, () => receive(program));
}

/** Tests a program that receives webhooks about two agents: Ada is available, and Grace is relaxing. */
async function receive(program: string): Promise<void> {
	await using opened = new AsyncDisposableStack();
	const folder = opened.use(new TemporaryFolder());
	const [port = 0, own = 0] = await freePorts(2);
	const allow = ["--webhooks", "on", "--webhooks-allow", "127.0.0.1/32"];
	let serving = await open(folder.path, port, ...allow);
	opened.defer(async () => void (await serving.stop()));
	/** Sends calls to the resort, also after its restart, which does not change its URL. */
	const resort = resortAt(serving.url);
	const ada = await resort.register();
	const grace = await resort.guest({ name: "Grace" });
	const env = { RESORT_URL: resort.url, PORT: String(own) };
	const { assigned, untilAssigned, stop } = dispatch(program, folder.path, [ada.id, grace.id], env);
	opened.defer(stop);
	await untilAssigned(1);
	const setSecret = (secret: string) => writeFileSync(join(folder.path, "webhook-secret"), secret);

	const url = `http://127.0.0.1:${own}/`;
	/** Sends a webhook, and returns the status of the response; 0 if there is no response. */
	const send = (body: string, headers: Record<string, string>) =>
		fetch(url, { method: "POST", body, headers }).then(
			({ status }) => status,
			() => 0,
		);
	await until(async () => (await send('{"type":"webhook.ping"}', {})) === 204);
	const secret = `whsec_${randomBytes(32).toString("base64")}`;
	setSecret(`${secret}\n`);
	const body = JSON.stringify({ type: "agent.available", agent: { id: grace.id, name: "Gräce" } });
	const now = Math.floor(Date.now() / 1_000);
	const right = signed(secret, "1", now, body);
	const { "webhook-signature": signature } = right;
	const wrong: [string, Record<string, string>][] = [
		[body, signed(`whsec_${btoa("other")}`, "1", now, body)],
		[`${body} `, right],
		[body, { ...right, "webhook-id": "2" }],
		[body, { ...right, "webhook-signature": signature.slice(0, -2) }],
		[body, signed(secret, "1", now - 400, body)],
		[body, signed(secret, "1", now + 400, body)],
	];
	for (const [text, headers] of wrong) expect(await send(text, headers)).toBe(401);
	// The program may answer an unreadable or unsigned webhook with any failure.
	for (const status of [await send("{", right), await send(body, {})]) {
		expect(status === 0 || status >= 400).toBe(true);
	}
	// The program does not rely on the webhook: it reads the status, and Grace is still relaxing.
	expect(await send(body, right)).toBe(204);
	expect(assigned).toEqual([ada.id]);
	await resort.checkOut(grace);
	const all = `v1a,other v1,${btoa("older")} ${signature}`;
	expect(await send(body, { ...right, "webhook-signature": all })).toBe(204);
	await untilAssigned(2);
	expect(assigned).toEqual([ada.id, grace.id]);

	const created = await resort.send("POST", "/api/webhooks", {
		key: ada.key,
		body: { url, types: ["agent.available"], agentIds: [ada.id, grace.id] },
	});
	setSecret(created.secret);
	await resort.checkIn(grace);
	await resort.checkOut(grace);
	await untilAssigned(3);
	await serving.stop();
	serving = await open(folder.path, port, ...allow);
	await resort.checkIn(ada);
	await resort.checkOut(ada);
	await untilAssigned(4);
	expect(assigned).toEqual([ada.id, grace.id, grace.id, ada.id]);
}
