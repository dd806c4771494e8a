import { type Static, Type } from "@sinclair/typebox";
import { Answer, Choice, ErrorBody } from "../schemas.ts";

const Availability = Choice("ok", "unavailable");

const Configuration = Choice("configured", "not_configured", "unavailable");

const Checks = Type.Object({
	database: Availability,
	identityProviderOrigin: Configuration,
	identityProviderSsoSecret: Configuration,
});
/** The states of the dependencies. */
export type Checks = Static<typeof Checks>;

/** The query of GET /api/health: `deep=1` checks the identity provider too. */
export const HealthQuery = Type.Object({
	deep: Type.Optional(Type.String()),
});

/** The answer of GET /api/health: readiness, without anything sensitive. */
export const HealthAnswer = Answer({
	service: Type.String(),
	version: Type.String(),
	status: Type.Literal("healthy"),
	checks: Checks,
	agentAuth: Type.Object({
		provider: Type.String(),
		mode: Type.String(),
		acceptedProxySource: Type.String(),
		requiredHeaders: Type.Array(Type.String()),
	}),
});
export type HealthAnswer = Static<typeof HealthAnswer>;

/** The failure of GET /api/health. */
export const UnhealthyBody = Type.Composite([
	ErrorBody,
	Type.Object({ checks: Checks }),
]);
