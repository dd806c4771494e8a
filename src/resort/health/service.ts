import { SERVICE, VERSION } from "../../lib/version.ts";
import type { Provider } from "../service-context.ts";
import type { Checks, HealthAnswer } from "./model.ts";

/** Where agents come from, as far as health tells it. */
type Origin = Pick<Provider, "origin"> | null;

/** Where the health of the service is asked for. */
export const HEALTH_PATH = "/api/health";

/** The header fields of a signed call, as GET /api/health tells them. */
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
 * What GET /api/health tells of a resort whose database answers, and whose provider, if it has one, is not asked.
 */
export function healthOf(provider: Origin): HealthAnswer {
	return {
		ok: true,
		service: SERVICE,
		version: VERSION,
		status: "healthy",
		checks: checksOf(provider),
		agentAuth: agentAuthOf(provider),
	};
}

/** The checks of a resort where everything answers. */
export function checksOf(provider: Origin): Checks {
	const configured = provider === null ? "not_configured" : "configured";
	return {
		database: "ok",
		identityProviderOrigin: configured,
		identityProviderSsoSecret: configured,
	};
}

/** Where agents come from, and what a signed call needs. */
function agentAuthOf(provider: Origin): HealthAnswer["agentAuth"] {
	return provider === null
		? {
				provider: "direct",
				mode: "direct",
				acceptedProxySource: "none",
				requiredHeaders: [],
			}
		: {
				provider: provider.origin,
				mode: "identity-provider",
				acceptedProxySource: "http-message-signature; tag=agent-auth-proxy",
				requiredHeaders: [...requiredHeaders],
			};
}
