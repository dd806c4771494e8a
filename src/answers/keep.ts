import { type Answer, REQUEST_ID, requestIdFor } from "../http/exchange.ts";
import type { HttpState } from "../http/state.ts";
import type { Clock } from "../lib/clock.ts";
import type { Changes, Topic } from "../store/changes.ts";
import type { Keeping } from "./keeping.ts";
import {
	type AnswerKind,
	type DrawnBody,
	MAX_FORMS,
	type Part,
} from "./kept-answer.ts";
import { KeptAnswers } from "./kept-answers.ts";
import { type QuickRoute, quickAnswers } from "./quick.ts";

/** How much is kept where nobody says: a small community whole. */
const MAX_BYTES = 64 * 1024 * 1024;

/** What answers are read from. */
export interface Source {
	readonly store: {
		readonly writer: { readonly changes: Changes; lookElsewhere(): void };
	};
	readonly clock: Clock;
}

/**
 * Gives answers that are kept as long as they are true (the `kept` macro of the guards, and quick routes)
 * without making them anew. What another program changes in the file is seen from the next millisecond on.
 * @param answer by the framework
 * @param state where that notes what may be kept
 * @param maxBytes how much memory they may take
 */
export function keepingAnswers(
	answer: Answer,
	{ store, clock }: Source,
	state: Pick<HttpState, "keeping">,
	quickRoutes: readonly QuickRoute[],
	maxBytes = MAX_BYTES,
): Answer {
	const { writer } = store;
	const { changes } = writer;
	const kindOf = kinds();
	const answers = new KeptAnswers(changes, maxBytes);
	const madeQuickly = quickAnswers(quickRoutes);
	return (request, course) => {
		if (request.method !== "GET") return answer(request, course);
		writer.lookElsewhere();
		const target = targetOf(request.url);
		const fromMs = clock();
		const kept = answers.find(target, fromMs);
		if (
			kept !== undefined &&
			!(kept.kind.hasEtag && request.headers.has("if-none-match"))
		) {
			const { kind, body } = kept;
			course.context = kind;
			const isWhole = typeof body === "string" || body instanceof Uint8Array;
			return responseOf(request, isWhole ? body : drawn(body), kind);
		}
		const made = madeQuickly(target);
		if (made !== null) {
			const { kind, untilMs } = made;
			const body = toPart(JSON.stringify(made.body));
			if (untilMs !== null) {
				const version = changes.version(kind.topic);
				answers.keep(target, { kind, body, version, fromMs, untilMs });
			}
			course.context = kind;
			return responseOf(request, body, kind);
		}
		const answered = answer(request, course);
		const keep = async (response: Response) => {
			const keeping = state.keeping.get(request);
			if (keeping === undefined || response.status !== 200) return response;
			const { topic, version, fromMs, untilMs } = keeping;
			const route = course.context?.route ?? "";
			if (!isKept(target, route, keeping)) return response;
			const text = await response.text();
			// What was changed meanwhile may not be in it.
			if (keeping.total === changes.total) {
				answers.keep(target, {
					kind: kindOf(route, topic, response.headers),
					body: bodyOf(text, keeping),
					version,
					fromMs,
					untilMs,
				});
			}
			return new Response(text, response);
		};
		return answered instanceof Promise ? answered.then(keep) : keep(answered);
	};
}

/** A response with a request id of its own. */
function responseOf(request: Request, body: Part, kind: AnswerKind): Response {
	const response = new Response(body, kind);
	response.headers.set(REQUEST_ID, requestIdFor(request));
	return response;
}

/** The kinds of answers; two that are alike are one object. */
function kinds() {
	const known = new Map<string, AnswerKind>();
	return (route: string, topic: Topic | null, given: Headers): AnswerKind => {
		const headers = new Headers(given);
		headers.delete(REQUEST_ID);
		const name = JSON.stringify([route, ...headers]);
		const kind = known.get(name) ?? {
			route,
			headers,
			hasEtag: headers.has("etag"),
			topic,
		};
		known.set(name, kind);
		return kind;
	};
}

/** The path and query of a URL; empty for one that is not whole. */
function targetOf(url: string): string {
	return url.startsWith("http") ? url.slice(url.indexOf("/", 8)) : "";
}

/**
 * Whether an address is that of a route, spelt in the one way that a change is told of. Only the answers of a
 * topic end together, so that only they are kept by any query.
 */
function isKept(
	target: string,
	route: string,
	{ id, topic, search }: Keeping,
): boolean {
	const path = id === null ? route : route.replace(":id", id);
	return (
		target === path + search ||
		(topic !== null && target.startsWith(`${path}?`))
	);
}

/** A body as it is kept. What is drawn anew stands in it as JSON, for the last time if more than once. */
function bodyOf(text: string, { drawn }: Keeping): Part | DrawnBody {
	if (drawn === null) return toPart(text);
	const written = JSON.stringify(drawn.text);
	const at = text.lastIndexOf(written);
	return {
		head: text.slice(0, at),
		draw: drawn.draw,
		tail: text.slice(at + written.length),
		forms: new Map(),
	};
}

function toPart(text: string): Part {
	const bytes = Buffer.from(text);
	return bytes.length === text.length ? text : bytes;
}

/** A body with what is drawn for this request. */
function drawn({ head, draw, tail, forms }: DrawnBody): Part {
	const text = draw();
	let form = forms.get(text);
	if (form === undefined) {
		form = toPart(head + JSON.stringify(text) + tail);
		if (forms.size < MAX_FORMS) forms.set(text, form);
	}
	return form;
}
