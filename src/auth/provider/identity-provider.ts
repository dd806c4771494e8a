import type { Provider } from "../../resort/service-context.ts";
import { CallVerifier } from "./call-verifier.ts";
import { Introspector, type IntrospectorOptions } from "./introspection.ts";
import { openKey, sealKey } from "./sealed-key.ts";

/** The identity provider that a resort uses. */
export interface IdentityProvider extends Provider {
	readonly introspector: Introspector;
	readonly verifier: CallVerifier;
	/** Encrypts a central key with the token of its session. */
	seal(apiKey: string, token: string): Uint8Array;
	/** Decrypts a key that was sealed for this provider and token; returns null for anything else. */
	open(sealedKey: Uint8Array, token: string): string | null;
}

/** How a resort is connected to its provider. */
export interface IdentityOptions extends Omit<IntrospectorOptions, "secret"> {
	/** One or two; the first is used for introspection, both verify signed calls. */
	readonly secrets: readonly [string, ...string[]];
}

/** Connects a resort to its provider, without a request. */
export function createIdentityProvider(
	options: IdentityOptions,
): IdentityProvider {
	const { url, secrets } = options;
	const introspector = new Introspector({ ...options, secret: secrets[0] });
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
