import { expect, test } from "bun:test";
import { join } from "node:path";
import { linesOf } from "../core/server/log-of.ts";

test.each(["throw", "reject"])(
	"a program that fails (%s) writes its whole log and exits with 1",
	async (how) => {
		const child = Bun.spawn([process.execPath, join(import.meta.dir, "failing.ts"), how], {
			stdout: "ignore",
			stderr: "pipe",
		});
		const text = await new Response(child.stderr).text();
		expect(await child.exited).toBe(1);
		const lines = linesOf(text);
		expect(lines).toHaveLength(1_001);
		expect(lines.slice(0, -1).map(({ line }) => line)).toEqual(
			Array.from({ length: 1_000 }, (_, line) => line),
		);
		expect(lines.at(-1)).toMatchObject({
			level: "ERROR",
			message: "unexpected failure",
			error: expect.stringContaining("broken"),
		});
	},
);
