import type { Topic } from "../store/changes.ts";

/** A body, or a part of one: text when it is ASCII, else UTF-8, so that nothing is encoded twice. */
export type Part = string | Uint8Array<ArrayBuffer>;

/** The most forms of a drawn body that are kept; there are not so many ambiances. */
export const MAX_FORMS = 32;

/** A body of which a part is drawn anew for each request. */
export interface DrawnBody {
	readonly head: string;
	readonly draw: () => string;
	readonly tail: string;
	/** What was put together before, by what was drawn. */
	readonly forms: Map<string, Part>;
}

/** What answers of one route have in common. */
export interface AnswerKind {
	/** The template of its path. */
	readonly route: string;
	/** Without the request's id. */
	readonly headers: Headers;
	/** Whether the caller may have the answer already, and says so (RFC 9110, 13.1.2). */
	readonly hasEtag: boolean;
	readonly topic: Topic | null;
}

/** An answer as it is kept. */
export interface KeptAnswer {
	readonly kind: AnswerKind;
	readonly body: Part | DrawnBody;
	/** Of the topic, when what the answer tells was read. */
	readonly version: number;
	/** From when and until when it is true if nobody changes it, in milliseconds since the epoch. */
	readonly fromMs: number;
	readonly untilMs: number;
}
