import { expect, test } from "bun:test";
import { type Config, configuration, type SettingName } from "../../../src/cli/features.ts";

const read = (name: SettingName, text: string) => configuration.readSome([name], { [name]: text }, {})[name];

test.each<[name: SettingName, text: string, value: Config[SettingName]]>([
	["seed", "4294967295", 4_294_967_295],
	["now", "9999-12-31T00:00:00Z", Date.UTC(9999, 11, 31)],
	["test-hosts", "[::1], A.test,10.0.0.1", ["[::1]", "a.test", "10.0.0.1"]],
	["test-hosts", Array(20).fill("a").join(), Array(20).fill("a")],
])("--%s %s is read as %j", (name, text, value) => {
	expect(read(name, text)).toEqual(value);
});

test("--seed 4294967296 is refused", () => {
	expect(() => read("seed", "4294967296")).toThrow("4294967296");
});
