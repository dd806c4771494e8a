import { expect } from "bun:test";
import { request } from "node:http";
import { text } from "node:stream/consumers";
import type { Answered, Call } from "./proxied.ts";

type CallThrough = (method: string, path: string, call?: Call) => Promise<Answered>;

/**
 * The duration of the waiting calls: longer than the time after which a proxy might treat a waiting call as
 * failed.
 */
const WAIT_MS = 7_000;

const PAUSE_MS = 100;

/**
 * Lets agents wait through a proxy by a tool of MCP, while another client makes calls that wait in other ways
 * or get no response. Expects that calls of other clients succeed, and that the waiting agents get their
 * responses.
 */
export async function expectUnharmed(call: CallThrough): Promise<void> {
	using silent = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Promise(() => {}) });
	const post = (path: string, key = "", body: object = {}) =>
		call("POST", path, {
			headers: {
				accept: "application/json, text/event-stream",
				...(key && { authorization: `Bearer ${key}` }),
			},
			body: JSON.stringify(body),
		});
	const register = async () => {
		const { body } = await post("/api/agents", "", { name: "Ada" });
		const { agent, apiKey } = JSON.parse(body);
		return { id: String(agent.id), key: String(apiKey) };
	};
	const guest = await register();
	const waiter = await register();
	expect((await post("/api/checkin", guest.key)).status).toBe(201);
	const args = { ids: guest.id, until: "available", wait: 30 };
	const params = { name: "agent_status", arguments: args };
	const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
	const waits = [1, 2, 3].map(() => post("/mcp", waiter.key, message));
	const attacks: Promise<unknown>[] = [1, 2, 3].map(() =>
		call("GET", `/api/agents/${guest.id}/status?until=available&%77ait=30`),
	);
	const ping = { url: silent.url.href, types: ["agent.available"] };
	attacks.push(post("/api/webhooks", waiter.key, ping));
	const statuses = new Set<number | undefined>();
	const endMs = performance.now() + WAIT_MS;
	while (performance.now() < endMs) {
		attacks.push(call("FOO", "/api/lobby").catch(() => {}));
		for (const path of ["/api/lobby", "/api/health", "/llms.txt"]) {
			statuses.add((await call("GET", path)).status);
		}
		await Bun.sleep(PAUSE_MS);
	}
	expect([...statuses]).toEqual([200]);
	expect((await post("/api/checkout", guest.key)).status).toBe(200);
	for (const { status, body } of await Promise.all(waits)) {
		expect(status).toBe(200);
		expect(body).toContain("available");
		expect(body).not.toContain('"error"');
	}
	await Promise.all(attacks);
}

/** Returns a function that sends requests without TLS, with any method. */
export function callPlain(url: string): CallThrough {
	return async (method, path, { headers, body } = {}) => {
		const { promise, resolve, reject } = Promise.withResolvers<Answered>();
		const sent = request(
			`${url}${path}`,
			{ method, headers: { "content-type": "application/json", ...headers } },
			async (answer) =>
				resolve({ status: answer.statusCode, headers: answer.headers, body: await text(answer) }),
		);
		sent.on("error", reject);
		sent.end(body);
		return await promise;
	};
}
