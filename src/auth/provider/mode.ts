import type { Clock } from "../../lib/clock.ts";
import type { Provider } from "../../resort/context.ts";
import { Introspector } from "./introspection.ts";
import { openKey, sealKey } from "./sealed-key.ts";
import { CallVerifier } from "./verify.ts";

/** The identity provider behind which a resort stands. */
export interface IdentityProvider extends Provider {
	readonly introspector: Introspector;
	readonly verifier: CallVerifier;
	/** Seals a central key under the token of the session that it makes. */
	seal(apiKey: string, token: string): Uint8Array;
	/** Opens what was sealed for this provider and token; null for anything else. */
	open(sealedKey: Uint8Array, token: string): string | null;
}

/** What connects a resort to its provider. */
export interface IdentityOptions {
	/** Without a slash at its end. */
	readonly url: string;
	/** One or two; the first is used towards the provider, both verify. */
	readonly secrets: readonly [string, ...string[]];
	readonly introspectionPath: string;
	/** Whether each address has a limit of its own for keys that are not known yet. */
	readonly rateLimits: boolean;
	readonly clock: Clock;
}

/** Connects a resort to its provider, without a request yet. */
export function createIdentityProvider(
	options: IdentityOptions,
): IdentityProvider {
	const { url, secrets, introspectionPath, rateLimits, clock } = options;
	const introspector = new Introspector({
		identityUrl: url,
		path: introspectionPath,
		secret: secrets[0],
		rateLimits,
		clock,
	});
	return {
		url,
		origin: new URL(url).origin,
		ping: () => introspector.ping(),
		introspector,
		verifier: new CallVerifier({ secrets }),
		seal: (apiKey, token) => sealKey(apiKey, token, url),
		open: (sealedKey, token) => openKey(sealedKey, token, url),
	};
}
