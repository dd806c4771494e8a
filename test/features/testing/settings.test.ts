import { expect, test } from "bun:test";
import { type Config, configuration } from "../../../src/cli/features.ts";

test.each<[what: string, name: keyof Config, text: string, value: Config[keyof Config]]>([
	["the highest `--seed`", "seed", "4294967295", 4_294_967_295],
	["the latest `--now`", "now", "9990-01-01T00:00:00Z", Date.UTC(9990, 0)],
	["a list of `--test-hosts`", "test-hosts", "[::1], A.test,10.0.0.1", ["[::1]", "a.test", "10.0.0.1"]],
	["20 `--test-hosts`, the maximum", "test-hosts", Array(20).fill("a").join(), Array(20).fill("a")],
])("a resort accepts %s", (_, name, text, value) => {
	expect(configuration.readSome([name], { [name]: text }, {})[name]).toEqual(value);
});
