import type { Provider } from "../../resort/service-context.ts";
import { CallVerifier } from "./call-verifier.ts";
import { Introspector, type IntrospectorOptions } from "./introspection.ts";

/** The identity provider that a resort uses. */
export interface IdentityProvider extends Provider {
	readonly introspector: Introspector;
	readonly verifier: CallVerifier;
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
	};
}
