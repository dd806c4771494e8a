import type { Part } from "../../src/core/commands/feature.ts";
import type { Answered, Registered } from "./calls.ts";
import type { Operation } from "./operations.ts";
import type { Setup, TestResort } from "./resort.ts";
import type { LosableStore } from "./store.ts";

/** What a feature adds to the resorts in tests. `features.ts` lists these additions for all features. */
export interface TestFeature {
	/** Returns the feature's part of the resort; null if the setup leaves the feature out. */
	part?(setup: Setup, resort: TestResort): Part | null;
	/** Returns the members that the feature declares for {@link TestResort}. */
	members?(resort: TestResort): Partial<TestResort>;
	/**
	 * Checks each answer of a resort in a test.
	 * @throws Error if the answer is wrong
	 */
	check?(resort: TestResort, method: string, path: string, answer: Answered): void;
	/**
	 * The operations that the feature adds to every resort in a test, for the tests that call all operations.
	 */
	readonly operations?: readonly Operation[];
	/**
	 * The request bodies for examples in the documents, by operation id. Each of these requests returns 201.
	 */
	readonly exampleBodies?: Readonly<Record<string, object>>;
	/**
	 * Adds at least one row about the agent to each table of the feature.
	 * @param marked creates a text that contains `what` and the mark by which tests find the agent's texts
	 */
	leaveTraces?(resort: TestResort, agent: Registered, marked: (what: string) => string): Promise<unknown>;
	/**
	 * The text columns that stay unchanged when an agent is erased, because they contain no text of an agent,
	 * such as `webhooks.state`.
	 */
	readonly columnsWithoutTexts?: readonly string[];
	/** The tables of the feature with texts that only their author can read. */
	readonly privateTables?: readonly string[];
	/** Databases on the server of RESORT_TEST_POSTGRES. */
	readonly databases?: ServerDatabases;
}

/** Databases on a server, which tests create and drop. */
export interface ServerDatabases {
	create(): Promise<string>;
	/** @param url returns the database's URL; by default that of an empty database, which later calls reuse */
	open(url?: () => Promise<string>): LosableStore;
	drop(url: string): Promise<void>;
}
