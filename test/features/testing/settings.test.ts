import { expect, test } from "bun:test";
import { type Config, configuration, type SettingName } from "../../../src/cli/features.ts";

test.each<[name: SettingName, text: string, value: Config[SettingName]]>([
	["seed", "4294967295", 4_294_967_295],
	["now", "9999-12-31T00:00:00Z", Date.UTC(9999, 11, 31)],
	["test-hosts", "[::1], A.test,10.0.0.1", ["[::1]", "a.test", "10.0.0.1"]],
	["test-hosts", Array(20).fill("a").join(), Array(20).fill("a")],
])("--%s %j is read as %j", (name, text, value) => {
	expect(configuration.readSome([name], { [name]: text }, {})[name]).toEqual(value);
});
