import { expect, test } from "bun:test";
import { closeSync, openSync, readFileSync } from "node:fs";
import { LineWriter } from "../../src/server/log/line-writer.ts";
import { useTemporaryFolder } from "../support/use-temporary-folder.ts";

const folder = useTemporaryFolder();

test("a log keeps 1 MiB for a write, and counts the lines beyond", async () => {
	const path = folder.file("log");
	const descriptor = openSync(path, "w");
	const writer = new LineWriter(descriptor, (count) => `${count} dropped\n`);
	const lines = [`${"x".repeat(1_048_574)}\n`, "\n"];
	for (const count of [2, 4]) {
		for (const line of [...lines, "1", "2"]) writer.add(line);
		expect(writer.dropped).toBe(count);
		await writer.close();
		expect(writer.dropped).toBe(count);
	}
	closeSync(descriptor);
	const written = `${lines.join("")}2 dropped\n`;
	expect(readFileSync(path, "utf8")).toBe(written.repeat(2));
});
