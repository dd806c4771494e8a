import { sql } from "drizzle-orm";
import { Elysia } from "elysia";
import { prepared } from "../database/open.ts";
import { agents } from "../database/tables.ts";
import type { Guards } from "../http/guards.ts";
import type { Resort } from "../resort.ts";
import { SERVICE, VERSION } from "../version.ts";
import { HealthAnswer, UnhealthyBody } from "./model.ts";

const anyAgent = prepared((db) =>
	db.select({ one: sql`1` }).from(agents).limit(1).prepare(),
);

/** Whether the resort and what it depends on are in order. */
export const healthRoutes = (resort: Resort, guards: Guards) =>
	new Elysia({ name: "health" }).use(guards).get(
		"/api/health",
		({ set }) => {
			const checks = {
				database: isReadable(resort) ? "ok" : "unavailable",
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
		{ public: true, response: { 200: HealthAnswer, 503: UnhealthyBody } },
	);

function isReadable({ store }: Resort): boolean {
	try {
		anyAgent(store).get();
		return true;
	} catch {
		return false;
	}
}
