/**
 * Runs tools of other projects with the built executable: `npm run peers [-- NAME…]`. Prints a table, and
 * exits with 1 if a check failed. The packages are downloaded once, into a cache in the folder for temporary
 * files.
 */
import { existsSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { executable } from "../support/executable.ts";
import { createContext, reasonOf } from "./context.ts";
import { installPackages } from "./packages.ts";
import type { Peer, Row } from "./peer.ts";
import { browserStreams } from "./tools/browser-streams.ts";
import { eventSource } from "./tools/event-source.ts";
import { httpClients } from "./tools/http-clients.ts";
import { interceptorPeers } from "./tools/interceptors.ts";
import { linters } from "./tools/linters.ts";
import { mcpFrameworks } from "./tools/mcp-frameworks.ts";
import { mcpRemote } from "./tools/mcp-remote.ts";
import { openapiClients } from "./tools/openapi-clients.ts";
import { recipes } from "./tools/recipes.ts";
import { testRunners } from "./tools/test-runners.ts";

/** The version of Node that runs the tools. Several of them require a newer one than the resort does. */
const NODE = "node@24.21.0";

const peers: readonly Peer[] = [
	...openapiClients,
	...linters,
	...httpClients,
	...browserStreams,
	eventSource,
	mcpRemote,
	...mcpFrameworks,
	...testRunners,
	...interceptorPeers,
	...recipes,
];

const names = process.argv.slice(2);
for (const name of names) {
	if (peers.some((peer) => isNamed(peer, name))) continue;
	const known = peers.map((peer) => peer.name).join(", ");
	say(`no tool is called ${name}; there are ${known}`);
	process.exit(2);
}
if (!existsSync(executable)) {
	say("dist/resort does not exist: run npm run build first");
	process.exit(2);
}

const stopped = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
	process.on(signal, () => {
		process.exitCode = 128 + constants.signals[signal];
		stopped.abort(new Error("ended by a signal"));
	});
}

const rows: Row[] = [];
for (const peer of peers) {
	const isChosen = names.length === 0 || names.some((name) => isNamed(peer, name));
	if (isChosen && !stopped.signal.aborted) await tryPeer(peer);
}
printTable();
for (const { tool, tried, failure } of rows) {
	if (failure !== undefined) say(`\n${tool}, ${tried}:\n${failure}`);
}
if (rows.some(({ failure }) => failure !== undefined)) process.exitCode ||= 1;
// Libraries that a check imported may keep the process alive.
process.exit();

async function tryPeer(peer: Peer): Promise<void> {
	const [first = NODE] = peer.packages;
	const version = first.slice(first.lastIndexOf("@") + 1);
	const whole = { tool: peer.name, tried: "all", expected: "runs" };
	try {
		process.stderr.write(`${peer.name}\n`);
		await using context = createContext(peer, {
			packages: await installPackages(peer.name, peer.packages),
			node: join(await installPackages("node", [NODE]), "node_modules/node/bin"),
			version,
			stop: stopped.signal,
			add: (row) => rows.push(row),
		});
		await peer.run(context);
	} catch (error) {
		const failure = error instanceof Error ? error.message : String(error);
		const result = `FAILED: ${reasonOf(failure)}`;
		rows.push({ ...whole, version, result, failure });
	}
}

function printTable(): void {
	const head = ["tool", "version", "tried", "expected", "result"];
	const lines = rows.map((row) => [row.tool, row.version, row.tried, row.expected, row.result.slice(0, 120)]);
	const table = [head, head.map(() => "---"), ...lines];
	const widths = head.map((_, at) => Math.max(...table.map((line) => line[at]?.length ?? 0)));
	for (const line of table) {
		const cells = line.map((cell, at) => cell.padEnd(widths[at] ?? 0));
		say(`| ${cells.join(" | ")} |`);
	}
}

/**
 * Whether a name on the command line selects a tool: its name, or the part before a dash, which selects its
 * kind.
 */
function isNamed(peer: Peer, name: string): boolean {
	return peer.name === name || peer.name.startsWith(`${name}-`);
}

function say(line: string): void {
	process.stdout.write(`${line}\n`);
}
