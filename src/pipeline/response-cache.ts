import { type BoundedCache, createSizedCache } from "../lib/bounded-cache.ts";
import type { Clock } from "../lib/clock.ts";
import { ResortError } from "../lib/resort-error.ts";
import { copyOf } from "../lib/text.ts";
import type { Operation } from "../resort/operation.ts";
import {
	EXTERNAL_CHANGE,
	type Store,
	type StoreEvent,
} from "../store/store.ts";
import type { Answer } from "./call.ts";
import { ResponseBody } from "./response-body.ts";

const MIB = 1024 * 1024;

/** Answers about one agent, which are requested most. */
const AGENT_BOUNDS = { maxEntries: 100_000, maxBytes: 64 * MIB };

/** Lists and documents, and those of them with a query: the many possible queries evict nothing else. */
const LIST_BOUNDS = { maxEntries: 5_000, maxBytes: 24 * MIB };

/** Answers with longer keys are not cached: no ordinary request has one. */
const MAX_KEY = 512;

/** An answer in the cache. */
export interface CachedAnswer extends Basis {
	readonly answer: Answer;
	readonly operation: Operation;
	/** When it was created: the clock may be set back. */
	readonly fromMs: number;
}

/** An answer that is being created. */
interface Creation extends Basis {
	/** Whether an event may have changed what was read for it. */
	isStale: boolean;
	readonly answer: Promise<Answer>;
}

/** The list that an answer depends on, as it was. */
interface Basis {
	readonly list: InvalidatedList | null;
	readonly version: number;
}

/** The answers that events of the same types invalidate. */
interface InvalidatedList {
	readonly types: readonly string[];
	version: number;
}

/**
 * Caches the answers of public operations until an event invalidates them: any event of the agent in the path, or
 * events of the types that the operation names.
 */
export class ResponseCache {
	readonly #clock: Clock;
	#agents = createEntries(AGENT_BOUNDS);
	#lists = createEntries(LIST_BOUNDS);
	#queries = createEntries(LIST_BOUNDS);
	readonly #creations = new Map<string, Creation>();
	/** Return the keys of the answers about an agent. */
	readonly #agentKeys: ((agentId: string) => string)[] = [];
	readonly #listOf = new Map<Operation["invalidatedBy"], InvalidatedList>();

	/** @param operations all whose answers are cached */
	constructor(store: Store, clock: Clock, operations: readonly Operation[]) {
		this.#clock = clock;
		for (const { path, invalidatedBy } of operations) {
			if (invalidatedBy === "agent") {
				// No character of an id is escaped in a path.
				const [before, after] = path.split(":id");
				this.#agentKeys.push((agentId) => `${before}${agentId}${after}`);
			} else if (Array.isArray(invalidatedBy)) {
				const list = { types: invalidatedBy, version: 0 };
				this.#listOf.set(invalidatedBy, list);
			}
		}
		store.subscribe((event) => this.#invalidate(event));
	}

	/** The number of cached answers. */
	get size(): number {
		return this.#agents.size + this.#lists.size + this.#queries.size;
	}

	/** Returns the answer with a key if it is still valid. */
	find(key: string): CachedAnswer | undefined {
		const found = this.#agents.get(key) ?? this.#entriesOf(key).get(key);
		if (found === undefined) return undefined;
		const { list, version, fromMs, answer } = found;
		if (list !== null && list.version !== version) return undefined;
		const { untilMs = Number.POSITIVE_INFINITY } = answer;
		const nowMs = this.#clock();
		return nowMs >= fromMs && nowMs < untilMs ? found : undefined;
	}

	/**
	 * Returns the answer with a key, and creates it if it is not cached. Calls that come meanwhile wait for the same
	 * creation, unless an event has made it stale.
	 */
	async getOrCreate(
		key: string,
		operation: Operation,
		create: () => Promise<Answer>,
	): Promise<Answer> {
		const cached = this.find(key);
		if (cached !== undefined) return cached.answer;
		const current = this.#creations.get(key);
		if (current !== undefined && !isStale(current)) {
			try {
				return await current.answer;
			} catch (error) {
				// It may be the deadline of the other call that has passed.
				const isOutage =
					error instanceof ResortError && error.code === "unavailable";
				if (!isOutage) throw error;
			}
		}
		const list = this.#listOf.get(operation.invalidatedBy) ?? null;
		const basis = { list, version: list?.version ?? 0 };
		const fromMs = this.#clock();
		const answer = create()
			.then((answer) => {
				if (!isStale(creation)) {
					this.#store(key, { ...basis, answer, operation, fromMs });
				}
				return answer;
			})
			.finally(() => {
				if (this.#creations.get(key) === creation) {
					this.#creations.delete(key);
				}
			});
		const creation: Creation = { ...basis, isStale: false, answer };
		this.#creations.set(key, creation);
		return answer;
	}

	/** Removes all answers, such as when the clock was changed. */
	clear(): void {
		this.#agents = createEntries(AGENT_BOUNDS);
		this.#lists = createEntries(LIST_BOUNDS);
		this.#queries = createEntries(LIST_BOUNDS);
		for (const creation of this.#creations.values()) creation.isStale = true;
	}

	#store(key: string, entry: CachedAnswer): void {
		if (key.length > MAX_KEY) return;
		const isOfAgent = entry.operation.invalidatedBy === "agent";
		const entries = isOfAgent ? this.#agents : this.#entriesOf(key);
		// A copy: the key may be a slice of a larger string, which would stay in memory.
		entries.set(copyOf(key), entry);
	}

	#entriesOf(key: string): BoundedCache<CachedAnswer> {
		return key.includes("?") ? this.#queries : this.#lists;
	}

	#invalidate({ type, agentId }: StoreEvent): void {
		if (type === EXTERNAL_CHANGE.type) {
			this.clear();
			return;
		}
		for (const list of this.#listOf.values()) {
			if (list.types.includes(type)) list.version++;
		}
		if (agentId === null) return;
		for (const keyOf of this.#agentKeys) {
			const key = keyOf(agentId);
			this.#agents.delete(key);
			const creation = this.#creations.get(key);
			if (creation !== undefined) creation.isStale = true;
		}
	}
}

function createEntries(
	bounds: typeof AGENT_BOUNDS,
): BoundedCache<CachedAnswer> {
	return createSizedCache(bounds, ({ answer: { body } }) =>
		body instanceof ResponseBody ? body.maxBytes : 0,
	);
}

function isStale({ list, version, isStale }: Creation): boolean {
	return isStale || (list !== null && list.version !== version);
}

/**
 * Returns the key of an answer: its path and valid parameters in one spelling. Requests that use this spelling find
 * their answer by their target, before they are routed.
 * @param query in the order of its schema
 */
export function cacheKey(
	{ id, path, byAccept }: Pick<Operation, "id" | "path" | "byAccept">,
	params: Readonly<Record<string, string>>,
	query: Readonly<Record<string, string | number>>,
): string {
	const filled = path.replace(/:(\w+)/g, (_, name) =>
		encodeURIComponent((params[name] ?? "").toLowerCase()),
	);
	const search = Object.entries(query)
		.map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
		.join("&");
	// No target contains a space: of two operations with one path, `Accept` selects one.
	const suffix = byAccept === true ? ` ${id}` : "";
	return (search === "" ? filled : `${filled}?${search}`) + suffix;
}
