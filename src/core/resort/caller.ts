import type { AuthenticatedAgent } from "./agents/authenticated-agent.ts";

/** The authenticated agent and its credential. */
export interface Caller {
	readonly agent: AuthenticatedAgent;
	readonly credential:
		| { readonly kind: "key"; readonly keyId: string }
		| { readonly kind: "central" | "proxied"; readonly subject: string }
		| { readonly kind: "session"; readonly token: string };
}
