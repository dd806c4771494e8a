import { SERVICE, VERSION } from "../../lib/version.ts";
import type { Provider } from "../service-context.ts";
import type { Checks, HealthAnswer } from "./model.ts";

/** The authentication mode that health reports. */
type Origin = Pick<Provider, "origin"> | null;

/** The path of the health check. */
export const HEALTH_PATH = "/api/health";

/** The header fields of a signed call, as GET /api/health reports them. */
const requiredHeaders = [
	"Content-Digest",
	"Signature-Input",
	"Signature",
	"X-Agent-Subject",
	"X-Agent-Id",
	"X-Agent-Capability",
	"X-Agent-Mode",
] as const;

/** Returns the health of a resort whose database responds, without a check of the provider. */
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

/** The checks of a healthy resort. */
export function checksOf(provider: Origin): Checks {
	const configured = provider === null ? "not_configured" : "configured";
	return {
		database: "ok",
		identityProviderOrigin: configured,
		identityProviderSsoSecret: configured,
	};
}

/** Returns the authentication mode and the fields of signed calls. */
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
