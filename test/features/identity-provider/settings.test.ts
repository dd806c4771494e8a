import { expect, test } from "bun:test";
import { type Config, configuration, type SettingName } from "../../../src/cli/features.ts";

const read = (name: SettingName, text: string) => configuration.readSome([name], { [name]: text }, {})[name];

test.each<[name: SettingName, text: string, value: Config[SettingName]]>([
	["identity-secret", `${"a".repeat(32)} , ${"b".repeat(32)}`, ["a".repeat(32), "b".repeat(32)]],
])("reads --%s %s as %j", (name, text, value) => {
	expect(read(name, text)).toEqual(value);
});
