import type { Guarded } from "../http/guards.ts";
import type { IdentityProvider } from "../identity/mode.ts";
import type { Resort } from "../resort.ts";
import { SERVICE, VERSION } from "../version.ts";
import { HealthAnswer, HealthQuery, UnhealthyBody } from "./model.ts";

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

/** Whether the resort and what it depends on are in order. */
export const healthRoutes = (app: Guarded, resort: Resort) =>
	app.get(
		"/api/health",
		async ({ query, set }) => {
			const { identity } = resort;
			const configured = identity === null ? "not_configured" : "configured";
			const isReadable = resort.store.isReadable();
			const isSilent =
				query.deep === "1" &&
				identity !== null &&
				!(await identity.introspector.ping());
			const checks = {
				database: isReadable ? "ok" : "unavailable",
				identityProviderOrigin: isSilent ? "unavailable" : configured,
				identityProviderSsoSecret: configured,
			} as const;
			if (!isReadable || isSilent) {
				set.status = 503;
				const what = isReadable ? "Identity provider" : "Database";
				return { error: `${what} unavailable`, checks };
			}
			return {
				ok: true as const,
				service: SERVICE,
				version: VERSION,
				status: "healthy" as const,
				checks,
				agentAuth: agentAuthOf(identity),
			};
		},
		{
			public: true,
			query: HealthQuery,
			detail: {
				operationId: "getHealth",
				summary: "Is the service well?",
				description:
					"503 when the database does not answer; with `deep=1` also when the identity provider, where there is one, does not.",
				tags: ["Status"],
			},
			response: { 200: HealthAnswer, 503: UnhealthyBody },
		},
	);

/** Where agents come from, and what a capability call needs (decisions 7). */
function agentAuthOf(identity: IdentityProvider | null) {
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
