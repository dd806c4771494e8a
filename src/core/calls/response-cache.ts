import { type BoundedCache, createSizedCache } from "../lib/bounded-cache.ts";
import { ResortError } from "../lib/resort-error.ts";
import { copyOf } from "../lib/text.ts";
import type { Operation } from "../resort/operation.ts";
import type { ServiceContext } from "../resort/service-context.ts";
import { EXTERNAL_CHANGE, type StoreEvent } from "../store/store.ts";
import { type Answer, type Coding, type Content, WrittenBody } from "./answer.ts";

const MIB = 1024 * 1024;

/**
 * The bounds for answers about one agent, which are requested most often. They have a cache of their own,
 * because many different lists would evict them. The bounds are low, because the garbage collector lets the
 * heap grow to several times the size of replaced entries.
 */
const AGENT_BOUNDS = { maxEntries: 20_480, maxBytes: 40 * MIB };

/**
 * The bounds for all other answers: lists and documents. Twice as many bytes would make uncached lists
 * slower, because the garbage collector needs time for large answers that are replaced.
 */
const OTHER_BOUNDS = { maxEntries: 4_096, maxBytes: 12 * MIB };

/** The number of different answers that are cached for one call of an operation with `isFresh`. */
const VARIANTS = 4;

/** The maximum length of a cache key. Answers with longer keys, which are unusual, are not cached. */
const MAX_KEY = 512;

/** A cached answer. */
export interface CachedAnswer extends Basis {
	/** The answer. Its body is a {@link WrittenBody}. */
	readonly answer: Answer;
	/** What all responses with this answer have in common, by coding. The transport adds it later. */
	readonly prepared: Partial<Record<Coding, PreparedResponse>>;
	readonly operation: Operation;
	/**
	 * The time at which the answer was created. If the clock is set back, the entry is invalid until the clock
	 * shows this time again.
	 */
	readonly fromMs: number;
}

/** The content and the header fields that all responses with an answer share. Each response gets a copy. */
export interface PreparedResponse {
	readonly content: Content;
	readonly headers: Headers | Record<string, string>;
	readonly etag: string | null;
}

/** An answer that is being created. */
interface Creation extends Basis {
	readonly answer: Promise<Answer>;
}

/**
 * The group of an answer, and the group's version when the creation of the answer began. `list` is null for
 * an answer about an agent, and for an answer that no event invalidates.
 */
interface Basis {
	readonly list: InvalidatedList | null;
	readonly version: number;
}

/**
 * A group of answers that the same types of events invalidate. Each such event increments `version`, and a
 * cached answer with an earlier version is invalid.
 */
interface InvalidatedList {
	readonly types: readonly string[];
	version: number;
}

/**
 * Caches the answers of public operations. An answer about an agent is valid until an event of this agent
 * occurs. Any other answer is valid until an event occurs whose type is in the operation's `invalidatedBy`.
 * An answer with `untilMs` also expires at that time.
 */
export class ResponseCache {
	#agents = createEntries(AGENT_BOUNDS);
	#others = createEntries(OTHER_BOUNDS);
	/** The answers that are being created. An event removes the answers that it makes outdated. */
	readonly #creations = new Map<string, Creation>();
	/** Functions that convert an agent's id to a cache key: one for each operation and value of `expect`. */
	readonly #agentKeys: ((agentId: string) => string)[] = [];
	readonly #listOf = new Map<Operation["invalidatedBy"], InvalidatedList>();

	/** @param operations all operations whose answers are cached */
	constructor(
		private readonly services: Pick<ServiceContext, "store" | "clock" | "random">,
		operations: readonly Operation[],
	) {
		for (const { path, invalidatedBy, query } of operations) {
			if (invalidatedBy === "agent") {
				// An id can be inserted as it is, because it contains no character that must be escaped in a path.
				const [before, after] = path.split(":id");
				const expected: readonly string[] = query?.properties.expect?.enum ?? [];
				for (const search of ["", ...expected.map((status) => `?expect=${status}`)]) {
					this.#agentKeys.push((agentId) => `${before}${agentId}${after}${search}`);
				}
			} else if (Array.isArray(invalidatedBy)) {
				this.#listOf.set(invalidatedBy, { types: invalidatedBy, version: 0 });
			}
		}
		services.store.subscribe((event) => this.#invalidate(event));
	}

	/** The number of cached answers. */
	get size(): number {
		return this.#agents.size + this.#others.size;
	}

	/** Returns an answer for a key, if one is cached and still valid. */
	find(key: string): CachedAnswer | undefined {
		const found = this.#findExactly(key);
		return found?.operation.isFresh ? this.#findExactly(this.#variantOf(key)) : found;
	}

	/** Returns the cache key of a random one of the {@link VARIANTS}: `key`, or `key` with a number. */
	#variantOf(key: string): string {
		const variant = this.services.random.below(VARIANTS);
		return variant === 0 ? key : `${key} ${variant}`;
	}

	#findExactly(key: string): CachedAnswer | undefined {
		const found = this.#agents.get(key) ?? this.#others.get(key);
		if (found === undefined || !isCurrent(found)) return undefined;
		const { fromMs, answer } = found;
		const { untilMs = Number.POSITIVE_INFINITY } = answer;
		const nowMs = this.services.clock();
		return nowMs >= fromMs && nowMs < untilMs ? found : undefined;
	}

	/** Returns a cached answer for a key, or creates one. Concurrent calls share one creation. */
	async findOrCreate(callKey: string, operation: Operation, create: () => Promise<Answer>): Promise<Answer> {
		const key = operation.isFresh ? this.#variantOf(callKey) : callKey;
		const cached = this.#findExactly(key);
		if (cached !== undefined) return cached.answer;
		const current = this.#creations.get(key);
		if (current !== undefined && isCurrent(current)) {
			try {
				return await current.answer;
			} catch (error) {
				// The creation by the other call failed, perhaps because that call's deadline has passed. The
				// deadline of this call is later, so this call creates the answer itself.
				const isOutage = error instanceof ResortError && error.code === "unavailable";
				if (!isOutage) throw error;
			}
		}
		const list = this.#listOf.get(operation.invalidatedBy) ?? null;
		const basis = { list, version: list?.version ?? 0 };
		const fromMs = this.services.clock();
		const creation: Creation = { ...basis, answer: create().then(written) };
		this.#creations.set(key, creation);
		try {
			const answer = await creation.answer;
			if (key.length <= MAX_KEY && this.#creations.get(key) === creation && isCurrent(creation)) {
				const entries = operation.invalidatedBy === "agent" ? this.#agents : this.#others;
				// Copied, because the key may be a slice of a larger string, which would otherwise stay in memory.
				entries.set(copyOf(key), { ...basis, answer, prepared: {}, operation, fromMs });
			}
			return answer;
		} finally {
			if (this.#creations.get(key) === creation) this.#creations.delete(key);
		}
	}

	/** Removes all answers, for example after a test has changed the clock. */
	clear(): void {
		this.#agents = createEntries(AGENT_BOUNDS);
		this.#others = createEntries(OTHER_BOUNDS);
		this.#creations.clear();
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
			this.#creations.delete(key);
		}
	}
}

function createEntries(bounds: typeof AGENT_BOUNDS): BoundedCache<CachedAnswer> {
	return createSizedCache(bounds, ({ answer: { body } }) =>
		body instanceof WrittenBody ? body.maxBytes : 0,
	);
}

/** Writes the body of an answer, because a JSON object needs several times the memory of its text. */
function written(answer: Answer): Answer {
	const { body, hasEtag } = answer;
	if (body === null || body instanceof ReadableStream) return answer;
	return { ...answer, body: WrittenBody.write(body, hasEtag) };
}

function isCurrent({ list, version }: Basis): boolean {
	return list === null || list.version === version;
}

/**
 * Returns the cache key of an answer: the path and the validated parameters in the order of the schema. If a
 * request's target equals the key, the cached answer is found without routing the request.
 */
export function cacheKey(
	{ id, path, byAccept }: Pick<Operation, "id" | "path" | "byAccept">,
	params: Readonly<Record<string, string>>,
	query: Readonly<Record<string, string | number>>,
): string {
	const filled = path.replace(/:(\w+)/g, (_, name) => encodeURIComponent((params[name] ?? "").toLowerCase()));
	const search = Object.entries(query)
		.map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
		.join("&");
	const key = search === "" ? filled : `${filled}?${search}`;
	return byAccept === undefined ? key : keyByAccept(key, { id });
}

/**
 * Returns the cache key for an operation that `Accept` selects. No request target equals the key, because the
 * key contains a space.
 */
export function keyByAccept(target: string, { id }: Pick<Operation, "id">): string {
	return `${target} ${id}`;
}
