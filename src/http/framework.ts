import { Elysia } from "elysia";
import { type Answer, REQUEST_ID, requestIdFor } from "./exchange.ts";
import type { HttpState } from "./state.ts";

/** Gives every request its id, which every answer tells, and notes it in the state. */
export const requestIds = (state: HttpState) =>
	new Elysia({ name: "request-ids" }).onRequest((context) => {
		context.set.headers[REQUEST_ID] = requestIdFor(context.request);
		state.latest = context;
	});

/**
 * Answers by an application.
 * @param app one with {@link requestIds}
 * @param state of that application
 */
export function answerBy(app: Pick<Elysia, "fetch">, state: HttpState): Answer {
	return (request, course) => {
		const answered = app.fetch(request);
		// The framework has called the hook above before it gave anything back.
		course.context = state.latest;
		return answered;
	};
}
