/** The program that {@link ClientProcess} starts. */
import { runClient } from "../../src/client/run.ts";
import { writeAll } from "../../src/core/lib/write-all.ts";
import { type ClientLine, END } from "./client-process.ts";

process.on("message", async ({ args, env }: ClientLine) => {
	process.env = { ...env };
	process.exitCode = 0;
	await runClient(args, "agent-resort");
	writeAll(1, `${END}${process.exitCode}${END}`);
	writeAll(2, END);
});
