import { describe, expect, test } from "bun:test";
import { chmodSync, lstatSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isKeyShaped, readConfiguration } from "../../src/client/configuration.ts";
import { readStored, removeStored, writeStored } from "../../src/client/key-file.ts";
import { TemporaryFolder } from "../support/folder.ts";
import { FILE_NAME, stored } from "./client.ts";

describe("the configuration file", () => {
	test("is written through a symbolic link, and removed together with the link", () => {
		using folder = new TemporaryFolder();
		const path = join(folder.path, FILE_NAME);
		const real = join(folder.path, "real.json");
		writeStored(real, stored);
		expect(readFileSync(real, "utf8")).toStartWith('{\n  "apiKey": "ar_k",\n');
		symlinkSync(real, path);
		writeStored(path, { ...stored, apiKey: "ar_other" });
		expect(lstatSync(path).isSymbolicLink()).toBe(true);
		expect(readStored(real).stored?.apiKey).toBe("ar_other");
		expect(removeStored(path)).toBe(true);
		expect(readdirSync(folder.path)).toEqual([]);
		symlinkSync(real, path);
		expect(removeStored(path)).toBe(true);
		expect(readdirSync(folder.path)).toEqual([]);
		expect(removeStored(path)).toBe(false);
		const refusal = expect.objectContaining({ exitCode: 1 });
		expect(() => removeStored(folder.path)).toThrow(refusal);
	});

	test("is refused if it is larger than 64 KiB, or if a field is empty or not a string", () => {
		using folder = new TemporaryFolder();
		const path = join(folder.path, FILE_NAME);
		const write = (value: object, bytes = 0) => writeFileSync(path, JSON.stringify(value).padEnd(bytes));
		write(stored, 65_536);
		expect(readStored(path).stored).toEqual(stored);
		write(stored, 65_537);
		expect(() => readStored(path)).toThrow("too large");
		for (const broken of [{ agentId: "" }, { apiKey: 5 }]) {
			write({ ...stored, ...broken });
			expect(() => readStored(path)).toThrow("exactly");
		}
	});

	test("does not replace the file of another resort, and needs an existing folder", () => {
		using folder = new TemporaryFolder();
		const path = join(folder.path, FILE_NAME);
		writeStored(path, stored);
		const other = { ...stored, apiUrl: "https://b.test" };
		const inUse = { exitCode: 1, hint: expect.stringContaining("--config") };
		expect(() => writeStored(path, other)).toThrow(expect.objectContaining(inUse));
		expect(() => writeStored(join(folder.path, "none/x"), stored)).toThrow(
			expect.objectContaining({ name: "Failure", exitCode: 1, hint: "" }),
		);
	});

	test("causes a warning if others can read it", () => {
		using folder = new TemporaryFolder();
		const path = join(folder.path, FILE_NAME);
		writeStored(path, stored);
		chmodSync(path, 0o644);
		const { warnings } = readConfiguration({}, { HOME: folder.path });
		expect(warnings).toEqual([`others can read ${path}: run chmod 600`]);
	});
});

test.each([
	["", false],
	["k", true],
	["k".repeat(1_024), true],
	["k".repeat(1_025), false],
	["a b", false],
])("isKeyShaped(%p) is %p", (text, expected) => {
	expect(isKeyShaped(text)).toBe(expected);
});

test("names the source of an invalid key", () => {
	using folder = new TemporaryFolder();
	const path = join(folder.path, FILE_NAME);
	const env = { HOME: folder.path };
	writeStored(path, { ...stored, apiKey: "a b" });
	expect(() => readConfiguration({}, env)).toThrow(`${path}: `);
	const both = { ...env, RESORT_API_KEY: "c d" };
	expect(() => readConfiguration({}, both)).toThrow("RESORT_API_KEY: ");
});

// To record it again, add --update-snapshots.
test.each([
	"",
	"RESORT_API_KEY=ar_e",
	"RESORT_API_URL=https://b.test/x/",
	"RESORT_API_URL=http://127.0.0.1:10",
	"RESORT_API_URL=http://127.0.0.1:9/x",
	"RESORT_API_URL=https://b.test RESORT_API_KEY=ar_e RESORT_AGENT_ID=b",
	"RESORT_API_URL= RESORT_API_KEY= RESORT_AGENT_ID=",
])("readConfiguration combines the file with %j", (variables) => {
	const env = Object.fromEntries(variables.split(" ").map((one) => one.split("=")));
	using folder = new TemporaryFolder();
	writeStored(join(folder.path, FILE_NAME), stored);
	const found = readConfiguration({}, { ...env, HOME: folder.path });
	const shown = JSON.stringify(found).replaceAll(folder.path, "~");
	expect(JSON.parse(shown)).toMatchSnapshot();
});
