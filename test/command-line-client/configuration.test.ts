import { describe, expect, test } from "bun:test";
import { chmodSync, lstatSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { readConfiguration } from "../../src/command-line-client/configuration.ts";
import {
	readStored,
	removeStored,
	writeStored,
} from "../../src/command-line-client/key-file.ts";
import { FILE_NAME, stored } from "../support/client.ts";
import { temporaryFolder } from "../support/executable.ts";

describe("the file", () => {
	test("stays where a link leads to, and is removed with it", () => {
		using folder = temporaryFolder();
		const path = join(folder.path, FILE_NAME);
		const real = join(folder.path, "real.json");
		writeStored(real, stored);
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
	});

	test("causes a warning if others can read it", () => {
		using folder = temporaryFolder();
		const path = join(folder.path, FILE_NAME);
		writeStored(path, stored);
		chmodSync(path, 0o644);
		const { warnings } = readConfiguration({}, { HOME: folder.path });
		expect(warnings).toEqual([`others can read ${path}: run chmod 600`]);
	});
});

describe("what is in force", () => {
	const url = stored.apiUrl;
	const other = "https://b.test";
	test.each([
		["", { url, key: "ar_k", agentId: "an id" }],
		["RESORT_API_KEY=ar_e", { url, key: "ar_e", agentId: "an id" }],
		[
			`RESORT_API_URL=${other}/x/`,
			{ url: `${other}/x`, key: null, agentId: null },
		],
		["RESORT_API_URL=http://127.0.0.1:10", { key: null }],
		[`RESORT_API_URL=${url}/x`, { url: `${url}/x`, key: "ar_k" }],
		[
			`RESORT_API_URL=${other} RESORT_API_KEY=ar_e RESORT_AGENT_ID=b`,
			{ url: other, key: "ar_e", agentId: "b" },
		],
		[
			"RESORT_API_URL= RESORT_API_KEY= RESORT_AGENT_ID=",
			{ url, key: "ar_k", agentId: "an id" },
		],
	])("with the file and %j", (variables, expected) => {
		const env = Object.fromEntries(
			variables.split(" ").map((one) => one.split("=")),
		);
		using folder = temporaryFolder();
		writeStored(join(folder.path, FILE_NAME), stored);
		expect(readConfiguration({}, { ...env, HOME: folder.path })).toMatchObject(
			expected,
		);
	});
});
