import type { Bench } from "../bench.ts";
import { sizes } from "../generate.ts";
import type { Result } from "../goals.ts";
import { readGuests } from "../guests.ts";
import { loadInTurns, requestsFile } from "../load.ts";
import { startResort } from "../process.ts";
import { compare, printPairs } from "../report.ts";

const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "overview", arguments: {} } };

/** Compares a tool call over MCP with the same operation over HTTP. */
export async function mcp({ seconds, rounds, folder, ...bench }: Bench): Promise<Result[]> {
	const database = await bench.database(sizes.usual);
	const callers = readGuests(database).map(({ apiKey }) => ({ authorization: `Bearer ${apiKey}` }));
	const files = await Promise.all([
		requestsFile(
			folder,
			callers.map((caller) => ({
				method: "POST",
				path: "/mcp",
				headers: { ...caller, accept: "application/json, text/event-stream" },
				body: call,
			})),
		),
		requestsFile(
			folder,
			callers.map((headers) => ({ path: "/api/me/overview", headers })),
		),
	]);
	const server = await startResort(database);
	const loads = files.map((requests) => ({ server, requests, seconds }));
	const [ours = [], theirs = []] = await loadInTurns(loads, rounds);
	await server.stop();
	printPairs("a call of a tool over MCP, beside HTTP", "HTTP", [{ what: "overview", ours, theirs }]);
	const figures = compare({ ours, theirs }, (one, other) => one.processorUs - other.processorUs);
	return [{ goal: "mcp", figures }];
}
