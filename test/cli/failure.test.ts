import { expect, test } from "bun:test";
import { join } from "node:path";
import { linesOf } from "../core/server/log-of.ts";
import { runProgram } from "../support/executable.ts";

test.each([
	["an uncaught exception", "throw"],
	["an unhandled rejection", "reject"],
])("a program that fails by %s writes its whole log and exits with 1", async (_, how) => {
	const program = join(import.meta.dir, "failing.ts");
	const { exitCode, stderr } = await runProgram([process.execPath, program, how]);
	expect(exitCode).toBe(1);
	const lines = linesOf(stderr);
	const last = lines.pop();
	expect(lines.map(({ line }) => line)).toEqual(Array.from({ length: 1_000 }, (_, line) => line));
	expect(last).toMatchObject({ level: "ERROR", message: "unexpected failure" });
	expect(last?.error).toContain("broken");
});
