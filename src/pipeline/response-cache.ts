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

/** The bounds for answers about one agent, which are the most frequent. */
const AGENT_BOUNDS = { maxEntries: 100_000, maxBytes: 64 * MIB };

/**
 * The bounds for lists and documents. Those with a query have their own cache of this size: queries are so various that
 * they would evict all others.
 */
const LIST_BOUNDS = { maxEntries: 5_000, maxBytes: 24 * MIB };

/** The maximum length of a key. Answers with longer keys are not cached; ordinary requests have shorter ones. */
const MAX_KEY = 512;

/** A cached answer. */
export interface CachedAnswer extends Basis {
	readonly answer: Answer;
	readonly operation: Operation;
	/** When the answer was created. The entry is invalid if the clock is now before this time. */
	readonly fromMs: number;
}

/** An answer that is being created. */
interface Creation extends Basis {
	/** Whether an event may have changed the data since it was read. */
	isStale: boolean;
	readonly answer: Promise<Answer>;
}

/** The list that an answer depends on, and its version when the answer was created. */
interface Basis {
	readonly list: InvalidatedList | null;
	readonly version: number;
}

/** The answers that the same types of events invalidate. */
interface InvalidatedList {
	readonly types: readonly string[];
	version: number;
}

/**
 * Caches the answers of public operations. An answer about an agent is valid until any event of this agent, another one
 * until an event of a type in the operation's `invalidatedBy`.
 */
export class ResponseCache {
	readonly #clock: Clock;
	#agents = createEntries(AGENT_BOUNDS);
	#lists = createEntries(LIST_BOUNDS);
	#queries = createEntries(LIST_BOUNDS);
	readonly #creations = new Map<string, Creation>();
	/** Each function returns the key of one answer about an agent. */
	readonly #agentKeys: ((agentId: string) => string)[] = [];
	readonly #listOf = new Map<Operation["invalidatedBy"], InvalidatedList>();

	/** @param operations all operations whose answers are cached */
	constructor(store: Store, clock: Clock, operations: readonly Operation[]) {
		this.#clock = clock;
		for (const { path, invalidatedBy } of operations) {
			if (invalidatedBy === "agent") {
				// Ids contain no character that is escaped in a path.
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

	/** Returns the answer for a key, if it is cached and still valid. */
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
	 * Returns the cached answer for a key, or creates it. Concurrent calls share one creation, unless an event has made
	 * it stale.
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
				// The deadline of the call that created the answer may have passed, but not the deadline of this call.
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

	/** Removes all answers, for example after the clock was changed. */
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
		// Copied, because the key may be a slice of a larger string, which would otherwise stay in memory.
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
 * Returns the key of an answer: its path and its valid parameters in canonical form. A request whose target has this
 * form is found in the cache before it is routed.
 * @param query the parameters in the order of the schema
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
	// Distinguishes operations with the same path, which `Accept` selects. A target contains no space.
	const suffix = byAccept === true ? ` ${id}` : "";
	return (search === "" ? filled : `${filled}?${search}`) + suffix;
}
