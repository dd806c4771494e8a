import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { configuration } from "../../../src/cli/features.ts";
import { useTemporaryFolder } from "../../support/folder.ts";

const SECRET = "0123456789abcdef0123456789abcdef";
const OTHER_SECRET = SECRET.toUpperCase();

const folder = useTemporaryFolder();

test.each([
	[`"${SECRET}"`, [SECRET]],
	[`["${SECRET}", "${OTHER_SECRET}"]`, [SECRET, OTHER_SECRET]],
])("identity-secret = %s is read from a configuration file", (toml, secrets) => {
	const config = join(folder.path, "resort.toml");
	writeFileSync(config, `identity-url = "https://id.test"\nidentity-secret = ${toml}\n`);
	expect(configuration.read({ config }, {})["identity-secret"]).toEqual(secrets as never);
});
