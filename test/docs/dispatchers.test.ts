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

/** The folder of the programs in docs/events.md. */
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

/** Starts an ephemeral resort that uses the database in a folder. */
function open(folder: string, port: number, ...args: readonly string[]) {
	const database = ["--database", join(folder, "resort.sqlite")];
	return serve(["--ephemeral", "--port", String(port), ...database, ...args], { cwd: folder });
}

const following = programs.filter((name) => !name.startsWith("webhook"));

testWith(
	[...new Set(following.map(runtimeOf))],
	`${following.join(", ")} assign work after every check-out, even if the resort restarts or has deleted events`,
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

			// After a reconnection, a client receives the events since the last one that it received.
			await resort.stop();
			resort = await open(folder.path, port);
			await visit(grace);
			await allAssign(grace.id);
			await visit(ada);
			await allAssign(ada.id);

			// The missed events have been deleted, so the programs read all statuses again.
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

/** Returns the signed header fields of a webhook (https://www.standardwebhooks.com). */
function signed(secret: string, id: string, timestamp: number, body: string) {
	const signature = new Webhook(secret).sign(id, new Date(timestamp * 1_000), body);
	return { "webhook-id": id, "webhook-timestamp": `${timestamp}`, "webhook-signature": signature };
}

/** Starts a program that receives webhooks about two agents: Ada is available, and Grace is relaxing. */
async function receive(program: string) {
	await using opened = new AsyncDisposableStack();
	const folder = opened.use(new TemporaryFolder());
	const [port = 0, own = 0] = await freePorts(2);
	const allow = ["--webhooks", "on", "--webhooks-allow", "127.0.0.1/32"];
	let resort = await open(folder.path, port, ...allow);
	opened.defer(async () => void (await resort.stop()));
	const { url } = resort;
	const ada = await resort.register();
	const grace = await resort.guest({ name: "Grace" });
	const env = { RESORT_URL: url, PORT: String(own) };
	const dispatching = dispatch(program, folder.path, [ada.id, grace.id], env);
	opened.defer(async () => void (await dispatching.stop()));
	await dispatching.untilAssigned(1);
	const held = opened.move();
	return {
		/** Calls the resort, which has the same URL after a restart. */
		resort: resortAt(url),
		ada,
		grace,
		address: `http://127.0.0.1:${own}/`,
		assigned: dispatching.assigned,
		untilAssigned: dispatching.untilAssigned,
		setSecret: (secret: string) => writeFileSync(join(folder.path, "webhook-secret"), secret),
		async restart() {
			await resort.stop();
			resort = await open(folder.path, port, ...allow);
		},
		[Symbol.asyncDispose]: () => held.disposeAsync(),
	};
}

for (const program of programs.filter((name) => name.startsWith("webhook"))) {
	const testReceiver = (name: string, body: () => Promise<void>) =>
		testWith([runtimeOf(program)], `${program} ${name}`, body);

	testReceiver("accepts only webhooks with a valid signature", async () => {
		await using receiving = await receive(program);
		const { resort, ada, grace, address } = receiving;
		/** Sends a webhook, and returns the status of the response; 0 if there is no response. */
		const send = (body: string, headers: Record<string, string>) =>
			fetch(address, { method: "POST", body, headers }).then(
				({ status }) => status,
				() => 0,
			);
		await until(async () => (await send('{"type":"webhook.ping"}', {})) === 204);
		const secret = `whsec_${randomBytes(32).toString("base64")}`;
		receiving.setSecret(`${secret}\n`);
		const body = JSON.stringify({ type: "agent.available", agent: { id: grace.id, name: "Gräce" } });
		const now = Math.floor(Date.now() / 1_000);
		const right = signed(secret, "1", now, body);
		const { "webhook-signature": signature } = right;
		const other = signed(`whsec_${btoa("other")}`, "1", now, body);
		const wrong: [string, Record<string, string>][] = [
			[body, other],
			[`${body} `, right],
			[body, { ...right, "webhook-id": "2" }],
			[body, { ...right, "webhook-signature": signature.slice(0, -2) }],
			[body, signed(secret, "1", now - 400, body)],
			[body, signed(secret, "1", now + 400, body)],
		];
		for (const [text, headers] of wrong) {
			expect(await send(text, headers)).toBe(401);
		}
		// The program may answer an unreadable or unsigned webhook with any failure.
		for (const [text, headers] of [
			["{", right],
			[body, {}],
		] as const) {
			const status = await send(text, headers);
			expect(status === 0 || status >= 400).toBe(true);
		}
		// The program queries the status: Grace is still relaxing.
		expect(await send(body, right)).toBe(204);
		expect(receiving.assigned).toEqual([ada.id]);
		await resort.checkOut(grace);
		const all = `v1a,other v1,${btoa("older")} ${signature}`;
		expect(await send(body, { ...right, "webhook-signature": all })).toBe(204);
		await receiving.untilAssigned(2);
		expect(receiving.assigned).toEqual([ada.id, grace.id]);
	});

	testReceiver("receives the webhooks that a resort sends before and after a restart", async () => {
		await using receiving = await receive(program);
		const { resort, ada, grace, address } = receiving;
		const { secret } = await resort.send("POST", "/api/webhooks", {
			key: ada.key,
			body: { url: address, types: ["agent.available"], agentIds: [ada.id, grace.id] },
		});
		receiving.setSecret(secret);
		await resort.checkOut(grace);
		await receiving.untilAssigned(2);
		await receiving.restart();
		await resort.checkIn(ada);
		await resort.checkOut(ada);
		await receiving.untilAssigned(3);
		expect(receiving.assigned).toEqual([ada.id, grace.id, ada.id]);
	});
}
