import { describe, expect, test } from "bun:test";
import { chmodSync, lstatSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { isKeyShaped, readConfiguration, resortAddress } from "../../src/client/configuration.ts";
import { readStored, removeStored, writeStored } from "../../src/client/key-file.ts";
import { useFreshFolder } from "../support/folder.ts";
import { FILE_NAME, stored } from "./client.ts";

const folder = useFreshFolder();
const path = folder.file(FILE_NAME);

describe("the configuration file", () => {
	test("is written through a symbolic link, and removed together with the link", () => {
		const real = folder.file("real.json");
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

	const json = (fields: object) => JSON.stringify({ ...stored, ...fields });

	test("may have up to 64 KiB, and may begin with a byte order mark", () => {
		for (const text of [json({}).padEnd(65_536), `\ufeff${json({})}`]) {
			writeFileSync(path, text);
			expect(readStored(path).stored).toEqual(stored);
		}
	});

	test.each([
		["no JSON", "{", "not JSON"],
		["a list", "[]", "exactly"],
		["only a key", '{"apiKey":"ar_k"}', "exactly"],
		["an unknown field", json({ more: 1 }), "exactly"],
		["an empty id", json({ agentId: "" }), "exactly"],
		["a number as the key", json({ apiKey: 5 }), "exactly"],
		["an address without a scheme", json({ apiUrl: "x.test" }), "apiUrl"],
		["more than 64 KiB", json({}).padEnd(65_537), "too large"],
	])("is refused if it contains %s", (_what, text, why) => {
		writeFileSync(path, text);
		expect(() => readStored(path)).toThrow(why);
	});

	test("is not replaced by one for another resort, and not created in a missing folder", () => {
		writeStored(path, stored);
		const other = { ...stored, apiUrl: "https://b.test" };
		const inUse = { exitCode: 1, hint: expect.stringContaining("--config") };
		expect(() => writeStored(path, other)).toThrow(expect.objectContaining(inUse));
		expect(() => writeStored(folder.file("none/x"), stored)).toThrow(
			expect.objectContaining({ name: "Failure", exitCode: 1, hint: "" }),
		);
	});

	test("causes a warning if other users can read it", () => {
		writeStored(path, stored);
		chmodSync(path, 0o644);
		const { warnings } = readConfiguration({}, { HOME: folder.path });
		expect(warnings).toEqual([`others can read ${path}: run chmod 600`]);
	});
});

test.each([
	[false, "an empty text", ""],
	[true, "one letter", "k"],
	[true, "1,024 letters", "k".repeat(1_024)],
	[false, "1,025 letters", "k".repeat(1_025)],
	[false, "a text with a space", "a b"],
])("isKeyShaped returns %p for %s", (expected, _, text) => {
	expect(isKeyShaped(text)).toBe(expected);
});

test("readConfiguration names the source of an invalid key in the error", () => {
	const env = { HOME: folder.path };
	writeStored(path, { ...stored, apiKey: "a b" });
	expect(() => readConfiguration({}, env)).toThrow(`${path}: `);
	const both = { ...env, RESORT_API_KEY: "c d" };
	expect(() => readConfiguration({}, both)).toThrow("RESORT_API_KEY: ");
});

test("readConfiguration ignores white space around the value of a variable", () => {
	const padded = {
		RESORT_API_URL: " https://b.test\n",
		RESORT_API_KEY: "ar_e\n",
		RESORT_AGENT_ID: "\tb\r\n",
	};
	const found = readConfiguration({}, { HOME: folder.path, ...padded });
	expect(found).toMatchObject({ url: "https://b.test", key: "ar_e", agentId: "b" });
	writeStored(path, stored);
	const blank = { RESORT_API_URL: " ", RESORT_API_KEY: "\n", RESORT_AGENT_ID: "\r\n" };
	const env = { HOME: folder.path };
	expect(readConfiguration({}, { ...env, ...blank })).toEqual(readConfiguration({}, env));
});

// To record the snapshot again, add --update-snapshots.
test.each([
	["takes address, key and id from the file if no variable is set", ""],
	["takes the key from RESORT_API_KEY, and the rest from the file", "RESORT_API_KEY=ar_e"],
	["ignores the key in the file if RESORT_API_URL is another resort", "RESORT_API_URL=https://b.test/x/"],
	[
		"takes the key from the file if RESORT_API_URL differs only in its path",
		"RESORT_API_URL=http://127.0.0.1:9/x",
	],
	["prefers variables to the file", "RESORT_API_URL=https://b.test RESORT_API_KEY=ar_e RESORT_AGENT_ID=b"],
	["ignores empty variables", "RESORT_API_URL= RESORT_API_KEY= RESORT_AGENT_ID="],
])("readConfiguration %s", (_, variables) => {
	const env = Object.fromEntries(variables.split(" ").map((one) => one.split("=")));
	writeStored(path, stored);
	const found = readConfiguration({}, { ...env, HOME: folder.path });
	const shown = JSON.stringify(found).replaceAll(folder.path, "~");
	expect(JSON.parse(shown)).toMatchSnapshot();
});

describe("resortAddress", () => {
	test.each([
		"https://resort.example",
		"https://resort.example:8443/spa/",
		"http://127.1.2.3",
		"http://0x7f.1",
		"http://[::1]:3000",
		"http://localhost:3000",
	])("accepts the address %j", (text) => {
		expect(resortAddress(text, "it", false)).not.toEndWith("/");
	});

	test.each([
		["file:///etc/passwd", "neither http: nor https:"],
		["https://user@resort.example", "a user name"],
		["http://resort.example", "http: to a host that is not loopback"],
		["http://127.0.0.1.resort.example", "http: to a host that is not loopback"],
		["http://localhost.resort.example", "http: to a host that is not loopback"],
		["http://127.0.0.1@resort.example", "a user name"],
		["http://resort.localhost", "http: to a host that is not accepted as loopback"],
		["http://0.0.0.0", "http: to an address that is not loopback"],
		["http://[::ffff:127.0.0.1]", "http: to an address that is not accepted as loopback"],
	])("refuses the address %j (%s)", (text) => {
		expect(() => resortAddress(text, "it", false)).toThrow("it: ");
	});

	test("accepts http: for every host with `--insecure`, but still refuses file:", () => {
		expect(resortAddress("http://10.0.0.1/", "it", true)).toBe("http://10.0.0.1");
		expect(() => resortAddress("file:///etc", "it", true)).toThrow();
	});
});
