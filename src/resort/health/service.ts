import type { IdentityProvider } from "../../access/provider/mode.ts";
import { SERVICE, VERSION } from "../../lib/version.ts";
import type { Connection } from "../../store/sqlite/connection.ts";
import type { Checks, HealthAnswer } from "./model.ts";

/** Where agents come from, as far as health tells it. */
type Origin = Pick<IdentityProvider, "origin"> | null;

/** The header fields of a capability call, as GET /api/health tells them. */
const requiredHeaders = [
	"Content-Digest",
	"Signature-Input",
	"Signature",
	"X-Agent-Subject",
	"X-Agent-Id",
	"X-Agent-Capability",
	"X-Agent-Mode",
] as const;

/**
 * What GET /api/health tells of a resort whose provider, if it has one, is not asked.
 * @returns null when the database does not answer
 */
export function readHealth(
	store: Pick<Connection, "isReadable">,
	identity: Origin,
): HealthAnswer | null {
	if (!store.isReadable()) return null;
	return {
		ok: true,
		service: SERVICE,
		version: VERSION,
		status: "healthy",
		checks: checksOf(identity),
		agentAuth: agentAuthOf(identity),
	};
}

/** The checks of a resort of which everything answers. */
export function checksOf(identity: Origin): Checks {
	const configured = identity === null ? "not_configured" : "configured";
	return {
		database: "ok",
		identityProviderOrigin: configured,
		identityProviderSsoSecret: configured,
	};
}

/** Where agents come from, and what a capability call needs (decisions 7). */
function agentAuthOf(identity: Origin): HealthAnswer["agentAuth"] {
	return identity === null
		? {
				provider: "direct",
				mode: "direct",
				acceptedProxySource: "none",
				requiredHeaders: [],
			}
		: {
				provider: identity.origin,
				mode: "identity-provider",
				acceptedProxySource: "http-message-signature; tag=agent-auth-proxy",
				requiredHeaders: [...requiredHeaders],
			};
}
