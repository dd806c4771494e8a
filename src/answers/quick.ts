import { headersOfAll, headersOfPublic } from "../http/headers.ts";
import type { AnswerKind } from "./kept-answer.ts";

/**
 * A route for GET that everybody may ask and that is answered without the framework: it answers also while
 * that is still being loaded.
 */
export interface QuickRoute {
	/** The template of its path. */
	readonly route: string;
	/**
	 * Answers 200, with all that tells of no topic.
	 * @param target the path and query
	 * @returns null for what is left to the framework: another spelling, another status
	 */
	answer(target: string): QuickAnswer | null;
}

/** The answer of a {@link QuickRoute}. */
export interface QuickAnswer {
	readonly body: object;
	/** Until when it is true if nobody changes it, in milliseconds since the epoch; null when it is not kept. */
	readonly untilMs: number | null;
}

/**
 * Answers by routes that need no framework.
 * @returns what makes the answer of a path and query, or null when it is left to the framework; so is what
 * fails, which fails there in the same way and is told
 */
export function quickAnswers(routes: readonly QuickRoute[]) {
	const headers = new Headers({ ...headersOfAll, ...headersOfPublic });
	const known = routes.map(({ route, answer }) => {
		const kind: AnswerKind = { route, headers, hasEtag: false, topic: null };
		return { kind, answer };
	});
	return (target: string): (QuickAnswer & { kind: AnswerKind }) | null => {
		try {
			for (const { kind, answer } of known) {
				const made = answer(target);
				if (made !== null) return { ...made, kind };
			}
		} catch {}
		return null;
	};
}
