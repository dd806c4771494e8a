import { NOTHING_FOUND, type Observer, observe } from "../http/exchange.ts";
import { freshHeaders, validatedHeaders } from "../http/headers.ts";
import { type Deliver, sendReady } from "../http/send.ts";
import { copyOf } from "../lib/text.ts";
import { when } from "../lib/when.ts";
import { Body } from "../pipeline/body.ts";
import { quickQuestion } from "../pipeline/quick.ts";
import type { Ready, ReadyAnswers } from "../pipeline/ready.ts";
import type { Provider } from "../resort/context.ts";
import type { StatusSource } from "../resort/presence/status.ts";
import type { FaultInjector } from "../testkit/faults.ts";

/** Answers a request. */
export type Fetch = (request: Request) => Response | Promise<Response>;

/** What {@link frontOf} works with. */
export interface FrontParts {
	readonly source: StatusSource;
	readonly provider: Pick<Provider, "origin"> | null;
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
		const found = ready.find(target, source.clock()) ?? make(parts, target);
		return when(found, (found) => {
			if (found === null) return application(request);
			const sent = sendReady(request, found, deliver);
			if (observer === null) return sent;
			return when(sent, (response) => {
				const { kind } = found;
				observe(observer, request, response, kind, startedAt, NOTHING_FOUND);
				return response;
			});
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

/** Makes a quick answer and keeps it; null when there is none. */
function make(
	{ source, provider, ready }: FrontParts,
	target: string,
): Ready | null | Promise<Ready | null> {
	const question = quickQuestion(source, provider, target);
	if (question === null) return null;
	const { kind } = question;
	const fromMs = source.clock();
	const reading = ready.begin(kind);
	return when(question.answer(), (made) => {
		if (made === null) return null;
		const body = Body.of(JSON.stringify(made.body));
		const { untilMs } = made;
		const isKept = untilMs !== null;
		const answer: Ready = {
			kind,
			body,
			headers: isKept ? validatedHeaders : freshHeaders,
			hasEtag: isKept,
			fromMs,
			untilMs: untilMs ?? fromMs,
			ended: reading.ended,
			times: reading.times,
			size: body.size,
			isHot: false,
		};
		if (isKept) ready.keep(copyOf(target), answer, reading);
		return answer;
	});
}

/** The path and query of a URL; empty for one that is not whole. */
function targetOf(url: string): string {
	return url.startsWith("http") ? url.slice(url.indexOf("/", 8)) : "";
}
