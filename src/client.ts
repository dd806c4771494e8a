/**
 * The entry point of the stand-alone command-line client, which runs on Node. scripts/client-package.ts
 * bundles it.
 */
import { basename, dirname, extname } from "node:path";
import { runClient } from "./client/run.ts";

const [, path = "", ...args] = process.argv;

await runClient(args, commandName());

/**
 * Returns the command that started this program. A file without a suffix, such as npm's link, is a command
 * itself.
 */
function commandName(): string {
	if (/[\\/]node_modules[\\/]/.test(path)) return "agent-resort";
	if (extname(path) === "") return basename(path);
	return `node ${dirname(path) === process.env.PWD ? basename(path) : path}`;
}
