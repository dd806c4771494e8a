import { type Static, Type } from "@sinclair/typebox";
import { Answer, Choice } from "../schemas.ts";

const Availability = Choice("ok", "unavailable");

const Configuration = Choice("configured", "not_configured", "unavailable");

/** The states of the dependencies. */
export const Checks = Type.Object({
	database: Availability,
	identityProviderOrigin: Configuration,
	identityProviderSsoSecret: Configuration,
});
export type Checks = Static<typeof Checks>;

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
