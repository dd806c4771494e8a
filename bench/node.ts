import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { $ } from "bun";
import { type Running, start } from "./process.ts";

const folder = join(import.meta.dir, "node");

/** The server on Node, or why there is none. */
export type NodeServer =
	| { readonly server: Running }
	| { readonly missing: string };

/**
 * Starts Fastify with better-sqlite3; installs its packages first when they are not there, which may take
 * minutes where better-sqlite3 has to be compiled.
 */
export async function startNode(database: string): Promise<NodeServer> {
	const node = Bun.which("node");
	if (node === null) return { missing: "there is no node" };
	try {
		await install();
		await bundleAnswer();
		return {
			server: await start([node, join(folder, "server.mjs"), database]),
		};
	} catch (error) {
		const reason = error instanceof Error ? error.message : String(error);
		return { missing: reason.split("\n")[0] ?? "" };
	}
}

/** @throws Error with the last line that npm said */
async function install(): Promise<void> {
	const lock = readFileSync(join(folder, "package-lock.json"), "utf8");
	const installed = join(folder, "node_modules", ".installed");
	if (existsSync(installed) && readFileSync(installed, "utf8") === lock) return;
	process.stdout.write("installing bench/node, which may take minutes\n");
	const npm = await $`npm ci`.cwd(folder).quiet().nothrow();
	if (npm.exitCode !== 0) {
		const said = npm.stderr.toString().trim().split("\n").at(-1) ?? "";
		throw new Error(`npm ci failed: ${said}`);
	}
	writeFileSync(installed, lock);
}

/** Makes the shared answer readable for Node. */
async function bundleAnswer(): Promise<void> {
	const { success, logs } = await Bun.build({
		entrypoints: [join(import.meta.dir, "servers", "answer.ts")],
		outdir: join(folder, "dist"),
		target: "node",
	});
	if (!success) throw new Error(logs.join("\n"));
}
