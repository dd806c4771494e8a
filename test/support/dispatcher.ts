import { join } from "node:path";
import { root } from "./documents.ts";
import { toolPath } from "./tools.ts";
import { until } from "./until.ts";

/** Where the programs of docs/events.md are. */
export const dispatchers = join(root, "examples/dispatcher");

/** What runs a program of examples/dispatcher: the tool that a test with it needs. */
export function runtimeOf(program: string): "python3" | "node" {
	return program.endsWith(".py") ? "python3" : "node";
}

/** Starts a program of examples/dispatcher. */
export function dispatch(
	program: string,
	folder: string,
	{
		url,
		ids,
		env = {},
	}: {
		readonly url: string;
		readonly ids: readonly string[];
		readonly env?: Readonly<Record<string, string>>;
	},
) {
	const runtime = runtimeOf(program);
	const child = Bun.spawn([toolPath(runtime) ?? runtime, join(dispatchers, program), ...ids], {
		cwd: folder,
		env: { RESORT_URL: url, ...env },
		stdout: "pipe",
		stderr: "ignore",
	});
	const assigned: string[] = [];
	const told = (async () => {
		let rest = "";
		for await (const chunk of child.stdout) {
			const lines = (rest + new TextDecoder().decode(chunk)).split("\n");
			rest = lines.pop() ?? "";
			assigned.push(...lines.map((line) => line.replace("assign ", "")));
		}
	})();
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
			await Promise.all([child.exited, told]);
		},
	};
}
