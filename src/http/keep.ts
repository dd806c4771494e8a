import type { Resort } from "../resort.ts";
import { type Answer, REQUEST_ID, requestIdFor } from "./exchange.ts";
import type { Keeping } from "./keeping.ts";
import { KeptAnswers, type Part } from "./kept-answers.ts";
import type { HttpState } from "./state.ts";

/**
 * Gives answers that are kept as long as they are true (the `kept` macro of the guards) without making them
 * anew. What another program changes in the file is seen from the next millisecond on.
 */
export function keepingAnswers(
	answer: Answer,
	{ store, clock }: Resort,
	state: HttpState,
): Answer {
	const { changes } = store.writer;
	const withoutId = sharedHeaders();
	const answers = new KeptAnswers(changes);
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
			!(kept.hasEtag && request.headers.has("if-none-match"))
		) {
			const requestId = requestIdFor(request);
			state.latest = {
				route: kept.route,
				set: { headers: { [REQUEST_ID]: requestId } },
			};
			const body =
				kept.draw === null
					? kept.head
					: joined(kept.head, kept.draw(), kept.tail);
			const response = new Response(body, kept);
			response.headers.set(REQUEST_ID, requestId);
			return response;
		}
		const answered = answer(request);
		const context = state.latest;
		const keep = async (response: Response) => {
			const keeping = state.keeping.get(request);
			if (keeping === undefined || response.status !== 200) return response;
			const { topic, version, fromMs, untilMs, drawn } = keeping;
			const route = context?.route ?? "";
			if (!isOf(target, route, keeping)) return response;
			const text = await response.text();
			// What was changed meanwhile may not be in it.
			if (keeping.total === changes.total) {
				const [head, tail] = parted(text, drawn?.text);
				const headers = withoutId(response.headers);
				answers.keep(target, {
					route,
					head: toPart(head),
					tail: toPart(tail),
					draw: drawn && (() => toPart(JSON.stringify(drawn.draw()))),
					headers,
					hasEtag: headers.has("etag"),
					topic,
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

/** Header fields without the request's id; those that are the same are one object. */
function sharedHeaders(): (headers: Headers) => Headers {
	const shared = new Map<string, Headers>();
	return (given) => {
		const headers = new Headers(given);
		headers.delete(REQUEST_ID);
		const written = JSON.stringify([...headers]);
		const known = shared.get(written);
		if (known !== undefined) return known;
		shared.set(written, headers);
		return headers;
	};
}

/** The path and query of a URL; empty for one that a malformed `Host` has left without its host. */
function targetOf(url: string): string {
	return url.startsWith("http") ? url.slice(url.indexOf("/", 8)) : "";
}

/** Whether an address is that of a route, spelt in the one way that a change is told of. */
function isOf(target: string, route: string, { id, topic }: Keeping): boolean {
	const path = id === null ? route : route.replace(":id", id);
	return (
		target === path ||
		((topic !== null || id === null) && target.startsWith(`${path}?`))
	);
}

/** A text before and behind the last place where a string stands in it as JSON. */
function parted(text: string, drawn: string | undefined): [string, string] {
	if (drawn === undefined) return [text, ""];
	const written = JSON.stringify(drawn);
	const at = text.lastIndexOf(written);
	return [text.slice(0, at), text.slice(at + written.length)];
}

function toPart(text: string): Part {
	const bytes = Buffer.from(text);
	return bytes.length === text.length ? text : bytes;
}

function joined(...parts: readonly Part[]): Part {
	return parts.every((part) => typeof part === "string")
		? parts.join("")
		: Buffer.concat(parts.map((part) => Buffer.from(part)));
}
