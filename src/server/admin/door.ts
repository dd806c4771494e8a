import type { Logger } from "@logtape/logtape";
import { adminOperations } from "../../admin/operations.ts";
import type { Answering } from "../../http/answering.ts";
import { type App, createApp } from "../../http/app.ts";
import type { HttpOptions } from "../../http/call.ts";
import { Door } from "../../http/door.ts";
import { ResortError } from "../../lib/resort-error.ts";
import type { Input } from "../../resort/operation.ts";

/**
 * The host's door. It is a door like that of HTTP, without limits and without readers who come from elsewhere; what is
 * changed by it is noted in the log.
 */
export function createAdmin(
	answering: Answering,
	options: HttpOptions,
	log: Logger,
): Pick<App, "fetch"> {
	const { store } = answering.access.context;
	const told = adminOperations.map((operation) => ({
		...operation,
		async run(input: Input) {
			const change = { by: "admin", what: operation.id };
			try {
				const answer = await store.withoutDeadline(() => operation.run(input));
				if (operation.method !== "GET") {
					log.info("changed by the host", { ...change, whom: whomOf(answer) });
				}
				return answer;
			} catch (error) {
				// A part of it may have been done.
				if (operation.method !== "GET" && isOutage(error)) {
					const whom = input.params.id ?? null;
					log.warn("not wholly changed by the host", { ...change, whom });
				}
				throw error;
			}
		},
	}));
	const door = new Door({
		answering,
		options,
		deliver: (_, content, init) => new Response(content, init),
		observer: null,
		pages: null,
	});
	const app = createApp(told, [], door, []);
	return {
		fetch: (request) =>
			store.withDeadline(async () => {
				await store.checkFreshness();
				return app.fetch(request);
			}),
	};
}

/** Whether the storage failed, or did not do all that it was asked for. */
function isOutage(error: unknown): boolean {
	return error instanceof ResortError && error.code === "unavailable";
}

/** What an answer of the administration was about: an id, or the first word of an invitation's code. */
function whomOf(answer: object): unknown {
	const { id, invite } = Object(answer);
	return id ?? Object(invite).label ?? null;
}
