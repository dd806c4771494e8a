import type { Topic } from "../lib/changes.ts";
import type { Resort } from "../resort.ts";
import { type Answer, REQUEST_ID, requestIdFor } from "./exchange.ts";
import type { Keeping } from "./keeping.ts";
import {
	type AnswerKind,
	type DrawnBody,
	KeptAnswers,
	MAX_FORMS,
	type Part,
} from "./kept-answers.ts";
import type { HttpState } from "./state.ts";

/** How much is kept where nobody says: a small community whole. */
const MAX_BYTES = 64 * 1024 * 1024;

/**
 * Gives answers that are kept as long as they are true (the `kept` macro of the guards) without making them
 * anew. What another program changes in the file is seen from the next millisecond on.
 * @param maxBytes how much memory they may take
 */
export function keepingAnswers(
	answer: Answer,
	{ store, clock }: Resort,
	state: HttpState,
	maxBytes = MAX_BYTES,
): Answer {
	const { changes } = store.writer;
	const kindOf = kinds();
	const answers = new KeptAnswers(changes, maxBytes);
	let checkedAt = 0;
	return (request) => {
		if (request.method !== "GET") return answer(request);
		const realMs = Date.now();
		if (realMs !== checkedAt) {
			checkedAt = realMs;
			if (store.wasChangedElsewhere()) answers.clear();
		}
		const target = targetOf(request.url);
		const kept = answers.find(target, clock());
		if (
			kept !== undefined &&
			!(kept.kind.hasEtag && request.headers.has("if-none-match"))
		) {
			const { kind, body } = kept;
			const requestId = requestIdFor(request);
			state.latest = {
				route: kind.route,
				set: { headers: { [REQUEST_ID]: requestId } },
			};
			const isWhole = typeof body === "string" || body instanceof Uint8Array;
			const response = new Response(isWhole ? body : drawn(body), kind);
			response.headers.set(REQUEST_ID, requestId);
			return response;
		}
		const answered = answer(request);
		const context = state.latest;
		const keep = async (response: Response) => {
			const keeping = state.keeping.get(request);
			if (keeping === undefined || response.status !== 200) return response;
			const { topic, version, fromMs, untilMs } = keeping;
			const route = context?.route ?? "";
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

/** The path and query of a URL; empty for one that a malformed `Host` has left without its host. */
function targetOf(url: string): string {
	return url.startsWith("http") ? url.slice(url.indexOf("/", 8)) : "";
}

/**
 * Whether an address is that of a route, spelt in the one way that a change is told of. Only the answers of a
 * topic end together, so that only they are kept by query.
 */
function isKept(
	target: string,
	route: string,
	{ id, topic }: Keeping,
): boolean {
	const path = id === null ? route : route.replace(":id", id);
	return target === path || (topic !== null && target.startsWith(`${path}?`));
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
