import { expect, test } from "bun:test";
import { type Config, configuration, type SettingName } from "../../../src/cli/features.ts";

const read = (name: SettingName, text: string) => configuration.readSome([name], { [name]: text }, {})[name];

test.each<[name: SettingName, text: string, value: Config[SettingName]]>([
	["security-contact", "a@b", "mailto:a@b"],
])("reads --%s %s as %j", (name, text, value) => {
	expect(read(name, text)).toEqual(value);
});

test.each<[name: SettingName, text: string]>([
	["security-contact", `tel:${"1".repeat(497)}`],
	["security-contact", "ftp://resort.test"],
])("refuses --%s %s", (name, text) => {
	expect(() => read(name, text)).toThrow(`--${name}`);
});
