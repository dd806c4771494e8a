import type { Changes, Topic } from "../lib/changes.ts";

/** What an answer costs beside its address and its body, in bytes: some 250 were measured. */
const COST_OF_ONE = 256;

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

/**
 * Answers that are true until a write alters what they tell, by the path and query that asked for them.
 * Memory is bounded: when it is used up, those that were kept first are forgotten.
 */
export class KeptAnswers {
	readonly #changes: Changes;
	readonly #maxBytes: number;
	/** The oldest first. */
	readonly #answers = new Map<string, KeptAnswer>();
	/** Which of them tell of a topic, as it was at a version: all of them end with it. */
	readonly #ofTopic = new Map<
		Topic,
		{ version: number; targets: Set<string> }
	>();
	#bytes = 0;

	/** @param maxBytes how much is kept: addresses, bodies, and what each costs beside them */
	constructor(changes: Changes, maxBytes: number) {
		this.#changes = changes;
		this.#maxBytes = maxBytes;
		changes.onAgent((agentId) => {
			this.#forget(`/api/agents/${agentId}/status`);
			this.#forget(`/api/agents/${agentId}`);
		});
	}

	/** How many are kept. */
	get size(): number {
		return this.#answers.size;
	}

	/** @returns undefined when there is none that is still true */
	find(target: string, nowMs: number): KeptAnswer | undefined {
		const kept = this.#answers.get(target);
		return kept !== undefined &&
			nowMs >= kept.fromMs &&
			nowMs < kept.untilMs &&
			this.#changes.version(kept.kind.topic) === kept.version
			? kept
			: undefined;
	}

	/** Keeps an answer in place of the one before; not one that would take half of the memory. */
	keep(target: string, kept: KeptAnswer): void {
		this.#forget(target);
		const bytes = bytesOf(target, kept);
		if (bytes > this.#maxBytes / 2) return;
		this.#bytes += bytes;
		if (kept.kind.topic !== null)
			this.#list(target, kept.kind.topic, kept.version);
		for (const oldest of this.#answers.keys()) {
			if (this.#bytes <= this.#maxBytes) break;
			this.#forget(oldest);
		}
		this.#answers.set(target, kept);
	}

	/** Notes an answer of a topic; those of its former version are forgotten, as none is true any more. */
	#list(target: string, topic: Topic, version: number): void {
		const listed = this.#ofTopic.get(topic);
		if (listed?.version === version) {
			listed.targets.add(target);
			return;
		}
		for (const old of listed?.targets ?? []) this.#forget(old);
		this.#ofTopic.set(topic, { version, targets: new Set([target]) });
	}

	#forget(target: string): void {
		const kept = this.#answers.get(target);
		if (kept === undefined) return;
		this.#bytes -= bytesOf(target, kept);
		this.#answers.delete(target);
		const { topic } = kept.kind;
		if (topic !== null) this.#ofTopic.get(topic)?.targets.delete(target);
	}
}

function bytesOf(target: string, { body }: KeptAnswer): number {
	const isWhole = typeof body === "string" || body instanceof Uint8Array;
	const length = isWhole
		? body.length
		: (body.head.length + body.tail.length) * MAX_FORMS;
	return COST_OF_ONE + target.length + length;
}
