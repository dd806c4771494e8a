import { Elysia } from "elysia";
import { nearestOperation } from "../guide/nearest-operation.ts";
import { ResortError } from "../lib/resort-error.ts";
import type { Operation } from "../resort/operation.ts";
import type { Door } from "./door.ts";

/** Routes requests to their operations. */
export type App = Pick<Elysia, "fetch" | "routes">;

/** What answers the requests to one path by itself, whatever their method. */
export interface OtherDoor {
	readonly path: string;
	answer(request: Request): Promise<Response>;
}

/**
 * Mounts operations on the framework, which finds the operation that a request means. Everything else is judged in
 * the same way for every door, and not by the framework.
 * @param operations those that are there in this instance
 * @param pages those for people alone, which no program is told of
 * @param others doors beside the one of operations
 */
export function createApp(
	operations: readonly Operation[],
	pages: readonly Operation[],
	door: Door,
	others: readonly OtherDoor[],
): App {
	const app = new Elysia({
		name: "resort",
		strictPath: true,
		// Without this, no path would be found under a host name of one letter.
		handler: { standardHostname: false },
	});
	app.onError(({ code, error, request, path }) =>
		door.refuse(
			request,
			code === "NOT_FOUND"
				? new ResortError("not_found", "Not found", {
						hint: nearestOperation(operations, request.method, path),
					})
				: error,
		),
	);
	for (const operation of [...operations, ...pages]) {
		const { method, path } = operation;
		const methods = method === "GET" ? ["GET", "HEAD"] : [method];
		for (const one of methods) {
			app.route(
				one,
				path,
				({ request, params }) =>
					door.answer(request, operation, readable(params)),
				{ parse: "none" },
			);
		}
	}
	for (const other of others) {
		app.all(other.path, ({ request }) => other.answer(request), {
			parse: "none",
		});
	}
	return app;
}

/** A parameter with broken escapes (`%zz`) is null to the router; it stands for an id that nothing has. */
function readable(
	params: Record<string, string | null> = {},
): Record<string, string> {
	for (const name in params) params[name] ??= "";
	return params as Record<string, string>;
}
