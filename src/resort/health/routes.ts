import type { Guarded } from "../../http/guards.ts";
import type { Resort } from "../resort.ts";
import { HealthAnswer, HealthQuery, UnhealthyBody } from "./model.ts";
import { checksOf, readHealth } from "./service.ts";

/** Whether the resort and what it depends on are in order. */
export const healthRoutes = (app: Guarded, resort: Resort) =>
	app.get(
		"/api/health",
		async ({ query, set }) => {
			const { identity } = resort;
			const isSilent =
				query.deep === "1" &&
				identity !== null &&
				!(await identity.introspector.ping());
			const health = readHealth(resort.store, identity);
			if (health !== null && !isSilent) return health;
			set.status = 503;
			const checks = checksOf(identity);
			if (health === null) checks.database = "unavailable";
			if (isSilent) checks.identityProviderOrigin = "unavailable";
			const what = health === null ? "Database" : "Identity provider";
			return { error: `${what} unavailable`, checks };
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
