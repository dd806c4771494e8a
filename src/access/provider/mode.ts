import type { Clock } from "../../lib/clock.ts";
import { Introspector } from "./introspection.ts";
import { CentralSessions } from "./sessions.ts";
import { CallVerifier } from "./verify.ts";

/** The identity provider behind which a resort stands (decisions 7). */
export interface IdentityProvider {
	/** Its address without a slash at its end; the issuer of every identity. */
	readonly url: string;
	/** The address without its path. */
	readonly origin: string;
	readonly introspector: Introspector;
	readonly verifier: CallVerifier;
	readonly sessions: CentralSessions;
}

/** How a resort is tied to its provider. */
export interface IdentityOptions {
	/** Without a slash at its end. */
	readonly url: string;
	/** One or two; the first is used towards the provider, both verify. */
	readonly secrets: readonly [string, ...string[]];
	readonly introspectionPath: string;
	readonly clock: Clock;
}

/** Ties a resort to its provider; asks it nothing yet. */
export function createIdentityProvider(
	options: IdentityOptions,
): IdentityProvider {
	const { url, secrets, introspectionPath, clock } = options;
	return {
		url,
		origin: new URL(url).origin,
		introspector: new Introspector({
			identityUrl: url,
			path: introspectionPath,
			secret: secrets[0],
			clock,
		}),
		verifier: new CallVerifier({ secrets }),
		sessions: new CentralSessions(),
	};
}
