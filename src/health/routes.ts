import { Elysia } from "elysia";
import type { Guards } from "../http/guards.ts";
import type { Resort } from "../resort.ts";
import { SERVICE, VERSION } from "../version.ts";
import { HealthAnswer, UnhealthyBody } from "./model.ts";

/** Whether the resort and what it depends on are in order. */
export const healthRoutes = (resort: Resort, guards: Guards) =>
	new Elysia({ name: "health" }).use(guards).get(
		"/api/health",
		({ set }) => {
			const checks = {
				database: resort.store.isReadable() ? "ok" : "unavailable",
				identityProviderOrigin: "not_configured",
				identityProviderSsoSecret: "not_configured",
			} as const;
			if (checks.database === "unavailable") {
				set.status = 503;
				return { error: "Database unavailable", checks };
			}
			return {
				ok: true as const,
				service: SERVICE,
				version: VERSION,
				status: "healthy" as const,
				checks,
				agentAuth: {
					provider: "direct",
					mode: "direct",
					acceptedProxySource: "none",
					requiredHeaders: [],
				},
			};
		},
		{
			public: true,
			detail: {
				operationId: "getHealth",
				summary: "Is the service well?",
				description: "503 when the database does not answer.",
				tags: ["Status"],
			},
			response: { 200: HealthAnswer, 503: UnhealthyBody },
		},
	);
