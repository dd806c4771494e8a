import type { IdentityProvider } from "../access/provider/mode.ts";
import { readHealth } from "../resort/health/service.ts";
import { findStatus, type House } from "../resort/presence/status.ts";
import type { Connection } from "../store/sqlite/connection.ts";
import type { QuickRoute } from "./quick.ts";

const STATUS = /^\/api\/agents\/([0-9a-f-]{36})\/status$/;

/**
 * What is asked for most, and first after a start: how an agent is and how the service is. These answers are
 * those of the framework's routes to the byte.
 * @param identity null when there is no provider
 */
export function quickRoutes(
	house: House & { readonly store: Pick<Connection, "isReadable"> },
	identity: Pick<IdentityProvider, "origin"> | null,
): QuickRoute[] {
	return [
		{
			route: "/api/agents/:id/status",
			answer(target) {
				const [, id] = STATUS.exec(target) ?? [];
				const status = id === undefined ? null : findStatus(house, id);
				return status && { body: status.told, untilMs: status.untilMs };
			},
		},
		{
			route: "/api/health",
			answer(target) {
				if (target !== "/api/health") return null;
				const body = readHealth(house.store, identity);
				return body && { body, untilMs: null };
			},
		},
	];
}
