import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Config, configuration } from "../../../src/cli/features.ts";
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

describe("configuration.read with a TOML file", () => {
	const proxies = configuration.read({ "trusted-proxies": "10.0.0.0/8,::1" }, {});
	const ranges = { "trusted-proxies": proxies["trusted-proxies"] };

	test.each<[what: string, toml: string, expected: Partial<Config>]>([
		["an empty file as the defaults", "", { port: 3000, "max-stay": 0 }],
		["a number", "port = 8080", { port: 8080 }],
		["a number in quotation marks", 'port = "8080"', { port: 8080 }],
		["a file with a byte order mark", "\uFEFFport = 65535", { port: 65_535 }],
		["comments and CRLF", "# all\r\nport = 81 # of it\r\nmax-stay = 1.5\r\n", { port: 81 }],
		["a fraction of an hour", "max-stay = 1.5", { "max-stay": 5_400_000 }],
		["a fraction of a millisecond as 1 ms", 'max-stay = "0.0000001"', { "max-stay": 1 }],
		["the maximum of `max-stay`", "max-stay = 87600", { "max-stay": 315_360_000_000 }],
		["a size with a fraction", 'max-database = "1.001KB"', { "max-database": 1_001 }],
		["a size without a unit: `max-database = 0`", "max-database = 0", { "max-database": 0 }],
		["a unit in lower case", 'max-database = "1kb"', { "max-database": 1_000 }],
		["a space before a unit", 'max-database = "1.5 GiB"', { "max-database": 1_610_612_736 }],
		["`rate-limits = false`", "rate-limits = false", { "rate-limits": false }],
		["`rate-limits = true`", "rate-limits = true", { "rate-limits": true }],
		["`rate-limits = 0.1`", "rate-limits = 0.1", { "rate-limits": 0.1 }],
		["`rate-limits = 1000`", "rate-limits = 1000", { "rate-limits": 1_000 }],
		['`rate-limits = "off"`', 'rate-limits = "off"', { "rate-limits": false }],
		["a text in single quotation marks", "host = '::1'", { host: "::1" }],
		["a URL without its final slash", 'base-url = "https://a.test/"', { "base-url": "https://a.test" }],
		["an empty list", "trusted-proxies = []", { "trusted-proxies": [] }],
		["an empty text as an empty list", 'trusted-proxies = ""', { "trusted-proxies": [] }],
		["a list of several lines", 'trusted-proxies = [\n"10.0.0.0/8",\n"::1",\n]', ranges],
		["a text with commas as a list", 'trusted-proxies = "10.0.0.0/8, ::1"', ranges],
		["`ephemeral = true` as a database in memory", "ephemeral = true", { database: ":memory:", port: 0 }],
	])("reads %s", (_, toml, expected) => {
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

	const cases: [content: string | Uint8Array, message: string | RegExp, what?: string][] = [
		["prot = 1", of('unknown key "prot" (port?); see resort serve --help')],
		['config = "other.toml"', of('unknown key "config"')],
		["[server]\nport = 1", of('unknown key "server"'), "a table"],
		["__proto__ = 1", of('unknown key "__proto__"')],
		['"a\\nb" = 1', of('unknown key "a\\nb"'), "a line feed in a key"],
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
		['database = "a\\u0000b"', of('database "a\\u0000b": must be a file in'), "a NUL in the database"],
		["rate-limits = 0.09", of("rate-limits 0.09: must be on, off or a number")],
		["rate-limits = 1001", of("rate-limits 1001: must be on, off or a number")],
		['rate-limits = "no"', of('rate-limits "no": must be on, off or a number')],
		["max-stay = -0.5", of("max-stay -0.5: must be a number of hours")],
		["max-stay = 87600.5", of("max-stay 87600.5: must be")],
		['trusted-proxies = ["a"]', of('trusted-proxies ["a"]: must be a comma')],
		['trusted-proxies = ["::1,::2"]', of("trusted-proxies: must be a comma")],
		["trusted-proxies = [1]", of("trusted-proxies: must be a comma")],
		[`port = ${"[".repeat(900)}${"]".repeat(900)}`, of("port: must be"), "900 nested lists as the port"],
		[`port = ${"[".repeat(9_000)}${"]".repeat(9_000)}`, notToml(1), "9,000 nested lists as the port"],
		["port = 1\n\nport = 2\n", notToml(3), "the same key in lines 1 and 3"],
		['port = 1\n# x\nhost = "a\nmax-stay = 1\n', notToml(3), "an unclosed string in line 3"],
		['port = 1\ntrusted-proxies = [\n"::1",\nx\n]', notToml(4), "an unquoted list item in line 4"],
		[`${"\n".repeat(32_000)}=${"\n".repeat(32_000)}`, notToml(32_001), "only `=` in line 32,001"],
		["port = 1\nhost = a", ": line 2, column 8 is not valid TOML", "an unquoted text in line 2"],
		[new Uint8Array([0x38, 0xff]), /: must be a file of UTF-8 text$/, "a byte that is not UTF-8"],
		[utf16("\ufeffport = 1"), ": must be a file of UTF-8 text", "UTF-16 and a byte order mark"],
		[utf16("port = 1"), ": must be a file of UTF-8 text", "UTF-16 and no byte order mark"],
		[ofSize(MAX_BYTES + 1), ": must be a file of at most 64 KiB", "one byte more than 64 KiB"],
	];

	test.each(cases.map(([content, message, what = `\`${content}\``]) => [what, content, message] as const))(
		"refuses a file with %s",
		(_what, content, message) => {
			expect(() => readFile(content)).toThrow(message);
		},
	);

	test.each([
		["that is too short", `identity-secret = "hunter2"`],
		["in a list", `identity-secret = ["hunter2"]`],
		["without quotation marks", `identity-secret = hunter2`],
		["without a final quotation mark", `identity-secret = "hunter2`],
		["followed by another text", `identity-secret = "hunter2" "hunter2"`],
		["with a misspelt key", `identity-secrte = "hunter2"`],
		["in a table", `[identity-secret]\nhunter2 = "hunter2"`],
	])("refuses an identity secret %s, and the error contains no part of the secret", (_, toml) => {
		expect(() => readFile(toml)).toThrow(/^(?!.*hunter2).*resort\.toml/s);
	});

	test.each([
		["a missing file", "nope.toml", "cannot be read: no such file or directory (ENOENT)"],
		["a folder", ".", "cannot be read: illegal operation on a directory (EISDIR)"],
		["an endless device", "/dev/zero", "must be a file of at most 64 KiB"],
		["a path with a NUL", "a\0b", "cannot be read: "],
		["an empty path", "", "must be a TOML file"],
	])("refuses %s as the configuration file, and says why", (_, config, reason) => {
		expect(() => configuration.read({ config }, {})).toThrow(`--config ${JSON.stringify(config)}: ${reason}`);
	});
});

test("configuration.readSome reads the named setting, ignores invalid values of other settings, and refuses unknown keys", () => {
	writeFileSync(path, 'database = ":memory:"\nport = "x"');
	const ask = () => configuration.readSome(["database"], { config: path }, {});
	expect(ask()).toEqual({ database: ":memory:" });
	writeFileSync(path, 'database = ":memory:"\nprot = 1');
	expect(ask).toThrow('unknown key "prot"');
});

test.each<[name: keyof Config, what: string, text: string]>([
	["log-level", "an unknown level", "warn"],
	["log-format", "an unknown format", "yaml"],
	["max-stay", "a number of 7 digits", "0000001"],
	["max-stay", "a number with 10 decimals", "0.0000000001"],
	["keep-events", "0 hours", "0"],
	["max-database", "a number of 7 digits", "1000000KB"],
	["max-database", "a number with 4 decimals", "1.0001KB"],
	["rate-limits", "a number with 4 decimals", "0.1001"],
	["rate-limits", "a number of 5 digits", "00001"],
	["base-url", "a host name without a scheme", "resort.test"],
	["base-url", "a URL with a fragment", "https://resort.test/#a"],
	["base-url", "a URL with a user name", "https://ada@resort.test"],
	["base-url", "a URL with a password", "https://:ada@resort.test"],
])("the flag `--%s` refuses %s", (name, _, text) => {
	expect(() => configuration.readSome([name], { [name]: text }, {})).toThrow(`--${name}`);
});

test("configuration.unknownVariables truncates a long name to 64 characters", () => {
	const variables = { [`RESORT_${"X".repeat(90)}`]: "1" };
	expect(configuration.unknownVariables(variables)).toEqual([`RESORT_${"X".repeat(57)}`]);
});
