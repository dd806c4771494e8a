import { NOTHING_FOUND, type Observer, observe } from "../http/exchange.ts";
import { type Deliver, sendReady } from "../http/send.ts";
import { when } from "../lib/when.ts";
import type { ReadyAnswers } from "../pipeline/ready.ts";
import type { ServiceContext } from "../resort/service-context.ts";
import type { FaultInjector } from "../testkit/faults.ts";

/** Answers a request. */
export type Fetch = (request: Request) => Response | Promise<Response>;

/** What {@link frontOf} works with. */
export interface FrontParts {
	readonly source: Pick<ServiceContext, "store" | "clock">;
	readonly ready: ReadyAnswers;
	readonly deliver: Deliver;
	/** Null when nobody watches. */
	readonly observer: Observer | null;
	/** Null where tests may do nothing. */
	readonly faults: Pick<FaultInjector, "areArmed" | "willDrop"> | null;
	/** Answers what the front does not. */
	readonly application: Fetch;
}

/** Answers what is ready or quickly made, and leaves the rest to the application. */
export function frontOf(parts: FrontParts): Fetch {
	const { source, ready, deliver, observer, faults, application } = parts;
	const answer: Fetch = (request) => {
		const startedAt = observer === null ? 0 : performance.now();
		const target = targetOf(request.url);
		const found = ready.find(target, source.clock());
		if (found === undefined) return application(request);
		const sent = sendReady(request, found, deliver);
		if (observer === null) return sent;
		return when(sent, (response) => {
			const { kind } = found;
			observe(observer, request, response, kind, startedAt, NOTHING_FOUND);
			return response;
		});
	};
	const look: Fetch = (request) => {
		const looking = source.store.checkFreshness();
		return looking === null
			? answer(request)
			: looking.then(() => answer(request));
	};
	const front: Fetch = (request) => {
		const { method } = request;
		if (method !== "GET" && method !== "HEAD") return application(request);
		// A store of one's own answers at once, and needs no function for each request.
		if (!source.store.isShared) return look(request);
		return source.store.withDeadline(() => look(request));
	};
	if (faults === null) return front;
	return (request) => {
		// Calls meet their faults in the application.
		const answer = faults.areArmed ? application(request) : front(request);
		return when(answer, (response) => {
			// What is dropped on a connection that was used before, clients would repeat unseen.
			if (faults.willDrop) response.headers.set("connection", "close");
			return response;
		});
	};
}

/** The path and query of a URL; empty for one that is not whole. */
function targetOf(url: string): string {
	return url.startsWith("http") ? url.slice(url.indexOf("/", 8)) : "";
}
