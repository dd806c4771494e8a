/**
 * The entry point of the stand-alone command-line client, which runs on Node. scripts/client-package.ts
 * bundles it.
 */
import { basename, dirname, extname } from "node:path";
import { runClient } from "./client/run.ts";

const [, path = "", ...args] = process.argv;

await runClient(args, commandName());

/**
 * Returns the command that starts this program: `agent-resort` if npm has installed it, the name of a file
 * without a suffix, or `node` with the path of a script.
 */
function commandName(): string {
	if (/[\\/]node_modules[\\/]/.test(path)) return "agent-resort";
	if (extname(path) === "") return basename(path);
	return `node ${dirname(path) === process.env.PWD ? basename(path) : path}`;
}
