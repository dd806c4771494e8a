import type { Setting } from "../../core/config/setting.ts";
import { url } from "../../core/config/setting-kinds.ts";

const MIN_SECRET_LENGTH = 32;

/** The settings of the external identity provider. */
export const settings = {
	"identity-url": url("URL of an external identity provider; requires --identity-secret"),
	"identity-introspection-path": {
		value: "PATH",
		help: "path at the identity provider that checks central keys",
		preset: "/oauth2/introspect",
		allowed: "a path that begins with / and has no query or fragment",
		read: (text) => (/^\/[\w.~!$&'()*+,;=:@%/-]*$/.test(text) ? text : undefined),
	} satisfies Setting<string>,
	"identity-secret": {
		value: "SECRET",
		help: "secret shared with the identity provider; requires --identity-url",
		secret: true,
		allowed: `one or two secrets of at least ${MIN_SECRET_LENGTH} characters, comma-separated`,
		read: identitySecrets,
	} satisfies Setting<readonly [string, ...string[]]>,
};

/** Parses one secret, or two with a comma between them. */
function identitySecrets(text: string): readonly [string, ...string[]] | undefined {
	const [first = "", ...others] = text.split(",").map((one) => one.trim());
	return others.length <= 1 && [first, ...others].every((secret) => secret.length >= MIN_SECRET_LENGTH)
		? [first, ...others]
		: undefined;
}
