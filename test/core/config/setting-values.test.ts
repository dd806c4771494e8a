import { describe, expect, test } from "bun:test";
import { type Config, configuration, type SettingName } from "../../../src/cli/features.ts";

const read = (name: SettingName, text: string): Config[SettingName] =>
	configuration.readSome([name], { [name]: text }, {})[name];

describe("a setting", () => {
	test.each<[name: SettingName, text: string, value: Config[SettingName]]>([
		["max-stay", "0.0000001", 1],
		["max-stay", "1", 3_600_000],
		["max-stay", "87600", 315_360_000_000],
		["max-database", "1.001KB", 1_001],
	])("--%s %s has the value %j", (name, text, value) => {
		expect(read(name, text)).toEqual(value);
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
	])("refuses --%s %s", (name, text) => {
		expect(() => read(name, text)).toThrow(`--${name}`);
	});
});

test("truncates an unknown variable to 64 characters", () => {
	const variables = { [`RESORT_${"X".repeat(90)}`]: "1" };
	expect(configuration.unknownVariables(variables)).toEqual([`RESORT_${"X".repeat(57)}`]);
});
