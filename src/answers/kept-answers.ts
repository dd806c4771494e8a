import type { Changes, Topic } from "../store/changes.ts";
import { type KeptAnswer, MAX_FORMS } from "./kept-answer.ts";
import { PackedAnswers } from "./packed-answers.ts";

/** What an answer that is not packed costs beside its target and its body, in bytes: some 250 were measured. */
const COST_OF_ONE = 256;

/** How much of the memory packed answers may take; the others get what these do not need. */
const PACKED_SHARE = 7 / 8;

/**
 * Answers that are true until a write alters what they tell, by the path and query that asked for them.
 * Memory is bounded: when it is used up, those that were kept first are forgotten, packed ones by segments.
 */
export class KeptAnswers {
	readonly #changes: Changes;
	readonly #maxBytes: number;
	/** Small ones of no topic: there may be as many as agents. */
	readonly #packed: PackedAnswers;
	/** All others, the oldest first. */
	readonly #answers = new Map<string, KeptAnswer>();
	/** Which of them tell of a topic, as it was at a version: all of them end with it. */
	readonly #ofTopic = new Map<
		Topic,
		{ version: number; targets: Set<string> }
	>();
	#bytes = 0;

	/** @param maxBytes how much is kept: targets, bodies, and what each costs beside them but for the index */
	constructor(changes: Changes, maxBytes: number) {
		this.#changes = changes;
		this.#maxBytes = maxBytes;
		this.#packed = new PackedAnswers(maxBytes * PACKED_SHARE);
		changes.onAgent((agentId) => {
			this.#forget(`/api/agents/${agentId}/status`);
			this.#forget(`/api/agents/${agentId}`);
		});
	}

	/** How many are kept. */
	get size(): number {
		return this.#packed.size + this.#answers.size;
	}

	/** @returns undefined when there is none that is still true */
	find(target: string, nowMs: number): KeptAnswer | undefined {
		const kept = this.#packed.find(target) ?? this.#answers.get(target);
		return kept !== undefined &&
			nowMs >= kept.fromMs &&
			nowMs < kept.untilMs &&
			this.#changes.version(kept.kind.topic) === kept.version
			? kept
			: undefined;
	}

	/** How much memory the answers that are not packed may take. */
	get #room(): number {
		return this.#maxBytes - this.#packed.bytes;
	}

	/** Keeps an answer in place of the one before; not one that would take half of the memory that is left. */
	keep(target: string, kept: KeptAnswer): void {
		this.#forget(target);
		if (kept.kind.topic === null && this.#packed.takes(target, kept)) {
			this.#packed.keep(target, kept);
			this.#forgetOldest();
			return;
		}
		const bytes = bytesOf(target, kept);
		if (bytes > this.#room / 2) return;
		this.#bytes += bytes;
		if (kept.kind.topic !== null)
			this.#list(target, kept.kind.topic, kept.version);
		this.#forgetOldest();
		this.#answers.set(target, kept);
	}

	/** Forgets answers that are not packed until the others fit, also when packed ones took more memory. */
	#forgetOldest(): void {
		if (this.#bytes <= this.#room) return;
		for (const oldest of this.#answers.keys()) {
			if (this.#bytes <= this.#room) break;
			this.#forget(oldest);
		}
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
		this.#packed.forget(target);
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
