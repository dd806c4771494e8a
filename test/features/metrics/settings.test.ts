import { expect, test } from "bun:test";
import { configuration, type SettingName } from "../../../src/cli/features.ts";

const read = (name: SettingName, text: string) => configuration.readSome([name], { [name]: text }, {})[name];

test.each<[name: SettingName, text: string]>([
	["metrics-port", "65536"],
	["metrics-host", "a b"],
])("--%s %s is refused", (name, text) => {
	expect(() => read(name, text)).toThrow(`--${name}`);
});
