import { type Static, Type } from "@sinclair/typebox";
import { COMMIT, SERVICE, VERSION } from "../../lib/version.ts";
import { operation, Reply } from "../operation.ts";
import { Answer, Choice, ErrorBody, Nullable } from "../schemas.ts";

const Configuration = Choice("configured", "not_configured", "unavailable");

const Checks = Type.Object({
	database: Choice("ok", "unavailable"),
	identityProviderOrigin: Configuration,
	identityProviderSsoSecret: Configuration,
});
type Checks = Static<typeof Checks>;

/** The answer of GET /api/health. It contains nothing confidential. */
export const HealthAnswer = Answer({
	service: Type.String(),
	version: Type.String(),
	commit: Nullable(Type.String()),
	status: Type.Literal("healthy"),
	checks: Checks,
	agentAuth: Type.Object({
		provider: Type.String(),
		mode: Type.String(),
		acceptedProxySource: Type.String(),
		requiredHeaders: Type.Array(Type.String()),
	}),
});

/** The header fields that a signed call must contain. */
const requiredHeaders = [
	"Content-Digest",
	"Signature-Input",
	"Signature",
	"X-Agent-Subject",
	"X-Agent-Id",
	"X-Agent-Capability",
	"X-Agent-Mode",
];

/** The operation that reports the health of the resort and its dependencies. */
export const healthOperations = [
	operation("GET /api/health", {
		id: "getHealth",
		summary: "Is the service healthy?",
		description:
			"503 if the database does not respond or cannot store changes; with `deep=1`, also if a configured identity provider does not.",
		credential: "none",
		mediaTypes: ["application/json"],
		query: Type.Object({ deep: Type.Optional(Type.String()) }),
		answers: { 200: HealthAnswer, 503: Type.Composite([ErrorBody, Type.Object({ checks: Checks })]) },
		isFresh: true,
		async run({ context: { store, provider }, query }) {
			const isSilent = query.deep === "1" && provider !== null && !(await provider.ping());
			const isHealthy = await store.isHealthy();
			const configured = provider === null ? "not_configured" : "configured";
			const checks: Checks = {
				database: isHealthy ? "ok" : "unavailable",
				identityProviderOrigin: isSilent ? "unavailable" : configured,
				identityProviderSsoSecret: configured,
			};
			if (!isHealthy || isSilent) {
				const dependency = isHealthy ? "Identity provider" : "Database";
				return new Reply(
					{ error: `${dependency} unavailable`, checks },
					{ status: 503, headers: { "retry-after": "1" } },
				);
			}
			return {
				service: SERVICE,
				version: VERSION,
				commit: COMMIT,
				status: "healthy",
				checks,
				agentAuth:
					provider === null
						? { provider: "direct", mode: "direct", acceptedProxySource: "none", requiredHeaders: [] }
						: {
								provider: provider.origin,
								mode: "identity-provider",
								acceptedProxySource: "http-message-signature; tag=agent-auth-proxy",
								requiredHeaders,
							},
			};
		},
	}),
];
