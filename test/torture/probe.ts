/**
 * An ordinary guest in a process of its own: `bun test/torture/probe.ts URL SECONDS`. Makes one call after the
 * other, with pauses, and prints how long they took: `{"failed":n,"p50":ms,"p99":ms}`.
 */
import type { Body } from "../support/body.ts";
import { percentile } from "./part.ts";

const PAUSE_MS = 5;

const [url = "", seconds = ""] = process.argv.slice(2);
const registered = await fetch(`${url}/api/agents`, {
	method: "POST",
	headers: { "content-type": "application/json" },
	body: JSON.stringify({ name: "Probe" }),
});
const { agent, apiKey } = (await registered.json()) as Body;
const calls = [
	["GET", `/api/agents/${agent.id}/status`],
	["POST", "/api/activities/tidepool-float/do"],
	["GET", "/api/lobby"],
	["GET", "/api/stats"],
] as const;
await call("POST", "/api/checkin");

const timesMs: number[] = [];
let failed = 0;
const endMs = performance.now() + Number(seconds) * 1_000;
for (let turn = 0; performance.now() < endMs; turn++) {
	const [method, path] = calls[turn % calls.length] ?? calls[0];
	const startedMs = performance.now();
	if (!(await call(method, path))) failed++;
	timesMs.push(performance.now() - startedMs);
	await Bun.sleep(PAUSE_MS);
}
const [p50, p99] = [percentile(timesMs, 0.5), percentile(timesMs, 0.99)];
process.stdout.write(JSON.stringify({ failed, p50, p99 }));

/** @returns whether the answer was a success */
async function call(method: string, path: string): Promise<boolean> {
	const headers = { authorization: `Bearer ${apiKey}` };
	try {
		const response = await fetch(url + path, { method, headers });
		await response.arrayBuffer();
		return response.ok;
	} catch {
		return false;
	}
}
