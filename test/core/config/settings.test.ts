import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Config, configuration, type SettingName } from "../../../src/cli/features.ts";
import { useTemporaryFolder } from "../../support/folder.ts";
import { utf16 } from "../../support/values.ts";

const folder = useTemporaryFolder();

const MAX_BYTES = 64 * 1024;
const path = join(folder.path, "resort.toml");

function readFile(content: string | Uint8Array): Config {
	writeFileSync(path, content);
	return configuration.read({ config: path }, {});
}

/** Returns the text of a configuration file of exactly `bytes` bytes. */
function ofSize(bytes: number): string {
	const start = "port = 8080\n#";
	return start + "x".repeat(bytes - start.length);
}

/** Shows the content of a file in the title of a test: if it is long, only its beginning and its length. */
function shown(content: string | Uint8Array): string {
	const text = typeof content === "string" ? `text ${JSON.stringify(content)}` : `bytes ${content.toHex()}`;
	return text.length < 70 ? text : `${text.slice(0, 56)}… (${content.length} characters)`;
}

describe("configuration.read", () => {
	const proxies = configuration.read({ "trusted-proxies": "10.0.0.0/8,::1" }, {});
	const ranges = { "trusted-proxies": proxies["trusted-proxies"] };

	test.each<[toml: string, expected: Partial<Config>]>([
		["", { port: 3000, "max-stay": 0 }],
		["port = 8080", { port: 8080 }],
		['port = "8080"', { port: 8080 }],
		["\uFEFFport = 65535", { port: 65_535 }],
		["# all\r\nport = 81 # of it\r\nmax-stay = 1.5\r\n", { port: 81 }],
		["max-stay = 1.5", { "max-stay": 5_400_000 }],
		['max-stay = "0.0000001"', { "max-stay": 1 }],
		["max-stay = 87600", { "max-stay": 315_360_000_000 }],
		['max-database = "1.001KB"', { "max-database": 1_001 }],
		["max-database = 0", { "max-database": 0 }],
		['max-database = "1kb"', { "max-database": 1_000 }],
		['max-database = "1.5 GiB"', { "max-database": 1_610_612_736 }],
		["rate-limits = false", { "rate-limits": false }],
		["rate-limits = true", { "rate-limits": true }],
		["rate-limits = 0.1", { "rate-limits": 0.1 }],
		["rate-limits = 1000", { "rate-limits": 1_000 }],
		['rate-limits = "off"', { "rate-limits": false }],
		["host = '::1'", { host: "::1" }],
		['base-url = "https://a.test/"', { "base-url": "https://a.test" }],
		["trusted-proxies = []", { "trusted-proxies": [] }],
		['trusted-proxies = ""', { "trusted-proxies": [] }],
		['trusted-proxies = [\n"10.0.0.0/8",\n"::1",\n]', ranges],
		['trusted-proxies = "10.0.0.0/8, ::1"', ranges],
		["ephemeral = true", { database: ":memory:", port: 0 }],
	])("reads a file with the text %j as %j", (toml, expected) => {
		expect(readFile(toml)).toMatchObject(expected);
	});

	test("accepts a file of 64 KiB", () => {
		expect(readFile(ofSize(MAX_BYTES))).toMatchObject({ port: 8080 });
	});
});

describe("configuration.read", () => {
	const notToml = (line: number) =>
		new RegExp(`^--config ".*": line ${line}, column \\d+ is not valid TOML: `);
	const of = (what: string) => `${path}: ${what}`;

	const cases: [content: string | Uint8Array, message: string | RegExp][] = [
		["prot = 1", of('unknown key "prot" (port?); see resort serve --help')],
		['config = "other.toml"', of('unknown key "config"')],
		["[server]\nport = 1", of('unknown key "server"')],
		["__proto__ = 1", of('unknown key "__proto__"')],
		['"a\\nb" = 1', of('unknown key "a\\nb"')],
		["[port]", of("port: must be a whole number from 0 to 65535")],
		["port = -1", of("port -1: must be a whole")],
		["port = 65536", of("port 65536: must be a whole")],
		["port = 1.5", of("port 1.5: must be a whole")],
		["port = [1]", of("port: must be a whole")],
		['port = ""', of('port "": must be a whole')],
		['port = ["1"]', of('port ["1"]: must be a whole')],
		["host = 1", of("host 1: must be an IP address without brackets, or a host name")],
		['host = ["a"]', of('host ["a"]: must be an IP')],
		["database = 1", of("database 1: must be a file in a folder")],
		['database = "a\\u0000b"', of('database "a\\u0000b": must be a file in')],
		["rate-limits = 0.09", of("rate-limits 0.09: must be on, off or a number")],
		["rate-limits = 1001", of("rate-limits 1001: must be on, off or a number")],
		['rate-limits = "no"', of('rate-limits "no": must be on, off or a number')],
		["max-stay = -0.5", of("max-stay -0.5: must be a number of hours")],
		["max-stay = 87600.5", of("max-stay 87600.5: must be")],
		['trusted-proxies = ["a"]', of('trusted-proxies ["a"]: must be a comma')],
		['trusted-proxies = ["::1,::2"]', of("trusted-proxies: must be a comma")],
		["trusted-proxies = [1]", of("trusted-proxies: must be a comma")],
		[`port = ${"[".repeat(900)}${"]".repeat(900)}`, of("port: must be")],
		[`port = ${"[".repeat(9_000)}${"]".repeat(9_000)}`, notToml(1)],
		["port = 1\n\nport = 2\n", notToml(3)],
		['port = 1\n# x\nhost = "a\nmax-stay = 1\n', notToml(3)],
		['port = 1\ntrusted-proxies = [\n"::1",\nx\n]', notToml(4)],
		[`${"\n".repeat(32_000)}=${"\n".repeat(32_000)}`, notToml(32_001)],
		["port = 1\nhost = a", ": line 2, column 8 is not valid TOML"],
		[new Uint8Array([0x38, 0xff]), /: must be a file of UTF-8 text$/],
		[utf16("\ufeffport = 1"), ": must be a file of UTF-8 text"],
		[utf16("port = 1"), ": must be a file of UTF-8 text"],
		[ofSize(MAX_BYTES + 1), ": must be a file of at most 64 KiB"],
	];

	test.each(cases.map(([content, message]) => [shown(content), content, message] as const))(
		"refuses a file with the %s",
		(_shown, content, message) => {
			expect(() => readFile(content)).toThrow(message);
		},
	);

	test.each([
		[`identity-secret = "hunter2"`],
		[`identity-secret = ["hunter2"]`],
		[`identity-secret = hunter2`],
		[`identity-secret = "hunter2`],
		[`identity-secret = "hunter2" "hunter2"`],
		[`identity-secrte = "hunter2"`],
		[`[identity-secret]\nhunter2 = "hunter2"`],
	])("refuses a file with the text %j, and the error contains no part of the secret", (toml) => {
		expect(() => readFile(toml)).toThrow(/^(?!.*hunter2).*resort\.toml/s);
	});

	test.each([
		["nope.toml", "cannot be read: no such file or directory (ENOENT)"],
		[".", "cannot be read: illegal operation on a directory (EISDIR)"],
		["/dev/zero", "must be a file of at most 64 KiB"],
		["a\0b", "cannot be read: "],
		["", "must be a TOML file"],
	])("refuses --config %j with the reason %j", (config, reason) => {
		expect(() => configuration.read({ config }, {})).toThrow(`--config ${JSON.stringify(config)}: ${reason}`);
	});
});

test("readSome reads the named setting, ignores invalid values of other settings, and refuses unknown keys", () => {
	writeFileSync(path, 'database = ":memory:"\nport = "x"');
	const ask = () => configuration.readSome(["database"], { config: path }, {});
	expect(ask()).toEqual({ database: ":memory:" });
	writeFileSync(path, 'database = ":memory:"\nprot = 1');
	expect(ask).toThrow('unknown key "prot"');
});

test.each<[name: SettingName, text: string]>([
	["log-level", "warn"],
	["log-format", "yaml"],
	["max-stay", "0000001"],
	["max-stay", "0.0000000001"],
	["keep-events", "0"],
	["max-database", "1000000KB"],
	["max-database", "1.0001KB"],
	["rate-limits", "0.1001"],
	["rate-limits", "00001"],
	["base-url", "resort.test"],
	["base-url", "https://resort.test/#a"],
	["base-url", "https://ada@resort.test"],
	["base-url", "https://:ada@resort.test"],
])("the flag --%s refuses the value %j", (name, text) => {
	expect(() => configuration.readSome([name], { [name]: text }, {})).toThrow(`--${name}`);
});

test("unknownVariables truncates a long name to 64 characters", () => {
	const variables = { [`RESORT_${"X".repeat(90)}`]: "1" };
	expect(configuration.unknownVariables(variables)).toEqual([`RESORT_${"X".repeat(57)}`]);
});
