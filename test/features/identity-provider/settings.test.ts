import { expect, test } from "bun:test";
import { configuration } from "../../../src/cli/features.ts";
import { SettingError } from "../../../src/core/lib/start-error.ts";
import { thrownBy } from "../../support/values.ts";

const SECRET = "0123456789abcdef0123456789abcdef";
const OTHER_SECRET = SECRET.toUpperCase();
const THIRD = "t".repeat(32);
const SHORT = "s".repeat(31);

test.each<[what: string, changes: Record<string, string>]>([
	["a second secret of 31 characters, one too few,", { "identity-secret": `${SECRET},${SHORT}` }],
	["a list of three secrets", { "identity-secret": [SECRET, OTHER_SECRET, THIRD].join() }],
	["an introspection path without a leading slash", { "identity-introspection-path": "introspect" }],
])("%s is refused, and the error contains no secret", (_, changes) => {
	const flags = { "identity-url": "https://id.test", "identity-secret": SECRET, ...changes };
	const error = thrownBy(() => configuration.read(flags, {}));
	expect(error).toBeInstanceOf(SettingError);
	const { message } = error as SettingError;
	expect(message).toMatch(/^--identity-[^\n]*$/);
	for (const secret of [SECRET, OTHER_SECRET, THIRD, SHORT]) expect(message).not.toContain(secret);
});
