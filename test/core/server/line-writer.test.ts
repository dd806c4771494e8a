import { expect, test } from "bun:test";
import { closeSync, openSync, readFileSync } from "node:fs";
import { LineWriter } from "../../../src/core/server/log/line-writer.ts";
import { useTemporaryFolder } from "../../support/folder.ts";

const folder = useTemporaryFolder();

test("the writer queues at most 1 MiB, and writes the number of dropped lines", async () => {
	const path = folder.file("log");
	const descriptor = openSync(path, "w");
	const writer = new LineWriter(descriptor, (count) => `${count} dropped\n`);
	const long = `${"x".repeat(1_048_574)}\n`;
	for (const [lines, dropped] of [
		[[long, "\n", "1", "2"], 2],
		// Lines after a dropped one are dropped too, even if there is room for them.
		[[long, "12", "3"], 4],
	] as const) {
		for (const line of lines) writer.add(line);
		expect(writer.dropped).toBe(dropped);
		await writer.close();
		expect(writer.dropped).toBe(dropped);
	}
	closeSync(descriptor);
	const written = `${long}\n2 dropped\n${long}2 dropped\n`;
	expect(readFileSync(path, "utf8")).toBe(written);
});
