import type { Changes, Topic } from "../lib/changes.ts";

/** How much is kept, in bytes: addresses, answers, and what each costs beside them. */
const MAX_SIZE = 256 * 1024 * 1024;
const COST_OF_ONE = 256;

/** A body, or a part of one: text when it is ASCII, else UTF-8, so that nothing is encoded twice. */
export type Part = string | Uint8Array<ArrayBuffer>;

/** An answer as it is kept. */
export interface KeptAnswer {
	/** The template of its path. */
	readonly route: string;
	/** Its body, whole in `head` unless something is drawn anew for each request and stands before `tail`. */
	readonly head: Part;
	readonly tail: Part;
	readonly draw: (() => Part) | null;
	/** Without the request's id. */
	readonly headers: Headers;
	/** Whether the caller may have the answer already, and says so (RFC 9110, 13.1.2). */
	readonly hasEtag: boolean;
	readonly topic: Topic | null;
	/** Of the topic, when what the answer tells was read. */
	readonly version: number;
	/** From when and until when it is true if nobody changes it, in milliseconds since the epoch. */
	readonly fromMs: number;
	readonly untilMs: number;
}

/**
 * Answers that are true until a write alters what they tell, by the path and query that asked for them.
 *
 * Memory is bounded: answers live in two generations. One that is asked for moves to the younger; when the
 * younger holds half of what is allowed it becomes the elder, and the former elder is forgotten whole.
 */
export class KeptAnswers {
	readonly #changes: Changes;
	readonly #maxSize: number;
	#younger = new Map<string, KeptAnswer>();
	#elder = new Map<string, KeptAnswer>();
	#size = 0;

	/** @param maxSize how much is kept, in bytes */
	constructor(changes: Changes, maxSize: number = MAX_SIZE) {
		this.#changes = changes;
		this.#maxSize = maxSize;
		changes.onAgent((agentId) => {
			this.#forget(`/api/agents/${agentId}/status`);
			this.#forget(`/api/agents/${agentId}`);
		});
	}

	/** How many are kept. */
	get size(): number {
		return this.#younger.size + this.#elder.size;
	}

	/** @returns undefined when there is none that is still true */
	find(target: string, nowMs: number): KeptAnswer | undefined {
		const young = this.#younger.get(target);
		const kept = young ?? this.#elder.get(target);
		if (
			kept === undefined ||
			nowMs < kept.fromMs ||
			nowMs >= kept.untilMs ||
			this.#changes.version(kept.topic) !== kept.version
		) {
			return undefined;
		}
		if (young === undefined) {
			this.#elder.delete(target);
			this.keep(target, kept);
		}
		return kept;
	}

	/** Keeps an answer in place of the one before. */
	keep(target: string, kept: KeptAnswer): void {
		if (this.#size >= this.#maxSize / 2) {
			this.#elder = this.#younger;
			this.#younger = new Map();
			this.#size = 0;
		}
		this.#younger.set(target, kept);
		this.#size +=
			COST_OF_ONE + target.length + kept.head.length + kept.tail.length;
	}

	/** Forgets everything. */
	clear(): void {
		this.#younger = new Map();
		this.#elder = new Map();
		this.#size = 0;
	}

	#forget(target: string): void {
		this.#younger.delete(target);
		this.#elder.delete(target);
	}
}
