import type { Logger } from "@logtape/logtape";
import { Elysia } from "elysia";
import { authenticationOf } from "../access/authentication.ts";
import { isSigned } from "../access/provider/signed.ts";
import { nearestOperation } from "../guide/nearest.ts";
import { operationIds, type Route } from "../guide/openapi.ts";
import { guideRoutes } from "../guide/routes.ts";
import { once } from "../lib/once.ts";
import { activityRoutes } from "../resort/activities/routes.ts";
import { agentRoutes } from "../resort/agents/routes.ts";
import { experienceRoutes } from "../resort/experiences/routes.ts";
import { healthRoutes } from "../resort/health/routes.ts";
import { postcardRoutes } from "../resort/postcards/routes.ts";
import { lobbyRoutes } from "../resort/presence/routes.ts";
import { settingsRoutes } from "../resort/profile-settings/routes.ts";
import type { Resort } from "../resort/resort.ts";
import { sessionRoutes } from "../resort/sessions/routes.ts";
import { stayRoutes } from "../resort/stays/routes.ts";
import { controlRoutes } from "../throwaway/controls/routes.ts";
import type { Controls } from "../throwaway/controls/service.ts";
import { bodyParser } from "./body.ts";
import { errorHandler } from "./errors.ts";
import { requestIds } from "./framework.ts";
import { addressOf, guarded, type HttpOptions } from "./guards.ts";
import { headersOfAll } from "./headers.ts";
import { pathParameters } from "./path.ts";
import { createHttpState } from "./state.ts";

/**
 * The whole service: what every request passes, then every feature.
 * @param controls of a throwaway instance that a test may reset; null for every other
 * @param state for those who watch it from outside
 */
export function createApp(
	resort: Resort,
	options: HttpOptions,
	log: Logger,
	controls: Controls | null = null,
	state = createHttpState(),
) {
	const { identity } = resort;
	const authentication = authenticationOf(resort);
	const routes = (): readonly Route[] => app.routes;
	const operations = once(() => operationIds(routes()));
	const plain = new Elysia({
		name: "resort",
		strictPath: true,
		// Else a host of one letter would be unknown.
		handler: { standardHostname: false },
	});
	plain
		.headers(headersOfAll)
		.use(requestIds(state))
		.use(
			errorHandler(log, resort.clock, (method, path) =>
				nearestOperation(routes(), method, path),
			),
		)
		.use(pathParameters)
		.use(bodyParser(identity === null ? () => false : isSigned));
	const app = guarded(plain, resort, options, {
		state,
		authentication,
		operationOf: (method, route) => operations().get(`${method} ${route}`),
	});
	// Added to the one application: an instance of its own a feature would add every route twice.
	agentRoutes(app, resort);
	sessionRoutes(app, authentication, (request) => addressOf(options, request));
	stayRoutes(app, resort);
	activityRoutes(app, resort);
	experienceRoutes(app, resort);
	postcardRoutes(app, resort);
	lobbyRoutes(app, resort);
	healthRoutes(app, resort);
	guideRoutes(app, options, routes, identity);
	if (identity !== null) settingsRoutes(app, resort, identity);
	if (controls !== null) {
		controlRoutes(app, resort, state.windows, controls);
	}
	return app;
}
