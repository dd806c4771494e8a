import { copyOf } from "../lib/text.ts";
import type { Operation } from "../resort/operation.ts";
import {
	EXTERNAL_CHANGE,
	type Store,
	type StoreEvent,
} from "../store/store.ts";
import { Asked } from "./asked.ts";
import type { Body } from "./body.ts";
import { HotStore } from "./hot-store.ts";

/** Answers of one agent: what is asked for most. */
const OF_AGENTS = { maxCount: 100_000, maxBytes: 64 * 1024 * 1024 } as const;

/** All others: lists, their pages, documents. They are kept apart, so that many of them push out none of an agent. */
const OTHERS = { maxCount: 5_000, maxBytes: 48 * 1024 * 1024 } as const;

/** Larger answers are kept at once: they take long to make, and are made only so often. */
const COSTLY_FROM_BYTES = 1024 * 1024;

/** Longer keys are not kept: no ordinary request has one. */
const MAX_KEY = 512;

/** How many pieces of news are remembered, to tell what came while an answer was made. */
const RECENT = 1_024;

/** How often an operation's answers have been ended. */
interface Ended {
	times: number;
}

/** What of an operation its ready answers need. */
export type Kind = Pick<Operation, "path" | "invalidatedBy"> &
	Partial<Pick<Operation, "id">>;

/** The state of the news when reading for an answer began; news since then may have changed what was read. */
export interface Reading {
	readonly ended: Ended | null;
	readonly times: number;
	/** How much news of any type there had been. */
	readonly news: number;
}

/** An answer with status 200 that is true until news ends it. */
export interface Ready extends Pick<Reading, "ended" | "times"> {
	readonly kind: Kind;
	readonly body: Body;
	/** Its header fields, but for those that differ between requests. */
	readonly headers: Headers;
	/** Whether it carries a validator. */
	readonly hasEtag: boolean;
	/** From when and until when it is true if nothing happens, in milliseconds since the epoch. */
	readonly fromMs: number;
	readonly untilMs: number;
	/** The most bytes that its body may come to hold. */
	readonly size: number;
	/** For the store that keeps it. */
	isHot: boolean;
}

/**
 * Answers that are kept ready until news ends them. An answer of one agent ends with any news of that agent, a
 * list with news of the types that its operation names.
 */
export class ReadyAnswers {
	readonly #ofAgents = new HotStore<Ready>(
		OF_AGENTS.maxCount,
		OF_AGENTS.maxBytes,
	);
	readonly #others = new HotStore<Ready>(OTHERS.maxCount, OTHERS.maxBytes);
	/** Makes the key of an answer about an agent, for each operation that has one. */
	readonly #keysOfAgent: ((agentId: string) => string)[] = [];
	/** What each operation's answers are ended by; shared by those that name the same types. */
	readonly #endedBy = new Map<Operation["invalidatedBy"], Ended>();
	/** The same by each of the types. */
	readonly #endedByType = new Map<string, Ended[]>();
	readonly #asked = new Asked();
	/** The agents of the last pieces of news; null where anything may have changed. */
	readonly #recent: (string | null)[] = [];
	#news = 0;

	constructor(store: Store) {
		store.subscribe((news) => this.#hear(news));
	}

	/** Adds operations whose answers may be kept from now on. */
	add(kinds: readonly Kind[]): void {
		for (const { path, invalidatedBy } of kinds) {
			if (invalidatedBy === "agent") {
				// An id has no character that a path would spell in another way.
				const [before, after] = path.split(":id");
				this.#keysOfAgent.push((agentId) => `${before}${agentId}${after}`);
			} else if (
				Array.isArray(invalidatedBy) &&
				!this.#endedBy.has(invalidatedBy)
			) {
				this.#addTypes(invalidatedBy);
			}
		}
	}

	#addTypes(types: readonly string[]): void {
		const ended: Ended = { times: 0 };
		this.#endedBy.set(types as Operation["invalidatedBy"], ended);
		for (const type of types) {
			const others = this.#endedByType.get(type) ?? [];
			this.#endedByType.set(type, [...others, ended]);
		}
	}

	/** How many are kept. */
	get count(): number {
		return this.#ofAgents.count + this.#others.count;
	}

	/** @returns undefined when there is none that is still true */
	find(key: string, nowMs: number): Ready | undefined {
		const kept = this.#ofAgents.get(key) ?? this.#others.get(key);
		if (kept === undefined) return undefined;
		return nowMs >= kept.fromMs && nowMs < kept.untilMs && this.isTrue(kept)
			? kept
			: undefined;
	}

	/** Notes how far the news is, before anything is read for an answer. */
	begin({ invalidatedBy }: Kind): Reading {
		const ended = this.#endedBy.get(invalidatedBy) ?? null;
		return { ended, times: ended?.times ?? 0, news: this.#news };
	}

	/** Whether no news of the types that its operation names has come since the reading began. */
	isTrue({ ended, times }: Pick<Reading, "ended" | "times">): boolean {
		return ended === null || ended.times === times;
	}

	/** Whether no news has come since the reading began that may have ended the answer with this key. */
	holds(key: string, reading: Reading): boolean {
		if (reading.ended !== null) return this.isTrue(reading);
		if (this.#news - reading.news > RECENT) return false;
		for (let at = reading.news; at < this.#news; at++) {
			const agentId = this.#recent[at % RECENT] ?? null;
			if (agentId === null) return false;
			if (this.#keysOfAgent.some((keyOf) => keyOf(agentId) === key)) {
				return false;
			}
		}
		return true;
	}

	/**
	 * Keeps an answer, unless it may have been ended while it was made. One with a query is kept when it is made the
	 * second time: most are asked for once, and would push out the others.
	 * @param key not a part of a larger text: that would stay in memory with it
	 */
	keep(key: string, ready: Ready, reading: Reading): void {
		if (key.length > MAX_KEY) return;
		if (!this.holds(key, reading)) return;
		const isCheap = key.includes("?") && ready.size < COSTLY_FROM_BYTES;
		if (isCheap && !this.#asked.before(key)) return;
		const isOfAgent = ready.kind.invalidatedBy === "agent";
		(isOfAgent ? this.#ofAgents : this.#others).set(key, ready);
	}

	#hear({ type, agentId }: StoreEvent): void {
		this.#recent[this.#news++ % RECENT] = agentId;
		if (type === EXTERNAL_CHANGE.type) {
			this.#ofAgents.clear();
			this.#others.clear();
			for (const ended of this.#endedBy.values()) ended.times++;
			return;
		}
		for (const ended of this.#endedByType.get(type) ?? []) ended.times++;
		if (agentId === null) return;
		for (const keyOfAgent of this.#keysOfAgent) {
			this.#ofAgents.delete(keyOfAgent(agentId));
		}
	}
}

/**
 * The key of an answer: the path and the known parameters, spelt in one way. Requests that spell them so find
 * their answer by their target alone.
 * @param query in the order of its schema
 */
export function keyOf(
	path: string,
	params: Readonly<Record<string, string>>,
	query: Readonly<Record<string, string | number>>,
): string {
	const filled = path.replace(/:(\w+)/g, (_, name) =>
		encodeURIComponent((params[name] ?? "").toLowerCase()),
	);
	const search = Object.entries(query)
		.map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
		.join("&");
	return copyOf(search === "" ? filled : `${filled}?${search}`);
}
