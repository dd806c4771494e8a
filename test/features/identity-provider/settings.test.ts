import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { configuration } from "../../../src/cli/features.ts";
import { SettingError } from "../../../src/core/lib/start-error.ts";
import { useTemporaryFolder } from "../../support/folder.ts";
import { thrownBy } from "../../support/values.ts";

const SECRET = "0123456789abcdef0123456789abcdef";
const OTHER_SECRET = SECRET.toUpperCase();

const THIRD = "t".repeat(32);
const SHORT = "s".repeat(31);
const URL_FLAG = { "identity-url": "https://id.test" };

const folder = useTemporaryFolder();

test.each([
	[`"${SECRET}"`, [SECRET]],
	[`["${SECRET}", "${OTHER_SECRET}"]`, [SECRET, OTHER_SECRET]],
])("the setting `identity-secret = %s` is read from a configuration file", (toml, secrets) => {
	const config = join(folder.path, "resort.toml");
	writeFileSync(config, `identity-url = "https://id.test"\nidentity-secret = ${toml}\n`);
	expect(configuration.read({ config }, {})["identity-secret"]).toEqual(secrets as never);
});

test.each<[what: string, flags: Record<string, string>]>([
	["a second secret of 31 characters", { ...URL_FLAG, "identity-secret": `${SECRET},${SHORT}` }],
	["a list of three secrets", { ...URL_FLAG, "identity-secret": [SECRET, OTHER_SECRET, THIRD].join() }],
	[
		"an introspection path without a leading slash",
		{ ...URL_FLAG, "identity-secret": SECRET, "identity-introspection-path": "introspect" },
	],
])("%s is refused, and the error contains no secret", (_, flags) => {
	const error = thrownBy(() => configuration.read(flags, {}));
	expect(error).toBeInstanceOf(SettingError);
	const { message } = error as SettingError;
	expect(message).toMatch(/^--identity-[^\n]*$/);
	for (const secret of [SECRET, OTHER_SECRET, THIRD, SHORT]) expect(message).not.toContain(secret);
});
