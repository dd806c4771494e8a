/**
 * An ordinary guest in a process of its own: `bun test/torture/probe.ts URL SECONDS`. Makes one call after the
 * other, with pauses, and prints how long they took: `{"calls":n,"failed":n,"p50":ms,"p99":ms}`.
 */
import type { Body } from "../support/body.ts";

const PAUSE_MS = 5;

const [url = "", seconds = ""] = process.argv.slice(2);
const { agent, apiKey } = await register();
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
timesMs.sort((a, b) => a - b);
const at = (share: number) => timesMs[Math.floor(timesMs.length * share)];
process.stdout.write(
	JSON.stringify({
		calls: timesMs.length,
		failed,
		p50: at(0.5),
		p99: at(0.99),
	}),
);

async function register(): Promise<Body> {
	const response = await fetch(`${url}/api/agents`, {
		method: "POST",
		headers: { "content-type": "application/json" },
		body: JSON.stringify({ name: "Probe" }),
	});
	return (await response.json()) as Body;
}

/** @returns whether it was answered as it should */
async function call(method: string, path: string): Promise<boolean> {
	try {
		const response = await fetch(url + path, {
			method,
			headers: { authorization: `Bearer ${apiKey}` },
		});
		await response.arrayBuffer();
		return response.ok;
	} catch {
		return false;
	}
}
