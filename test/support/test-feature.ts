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
	 * Checks an answer.
	 * @throws Error if the answer is wrong
	 */
	check?(resort: TestResort, method: string, path: string, answer: Answered): void;
	/**
	 * The operations that the feature adds to every resort in a test, for the tests that call all operations.
	 */
	readonly operations?: readonly Operation[];
	/**
	 * The request bodies of the examples in the documents, by operation id. The examples return 201.
	 */
	readonly exampleBodies?: Readonly<Record<string, object>>;
	/**
	 * Adds at least one row about the agent to each table of the feature.
	 * @param marked creates the texts
	 */
	leaveTraces?(resort: TestResort, agent: Registered, marked: (what: string) => string): Promise<unknown>;
	/** The text columns of the feature's tables that an erasure keeps, such as `webhooks.state`. */
	readonly columnsWithoutTexts?: readonly string[];
	/** The tables of the feature with texts that only their author can read. */
	readonly privateTables?: readonly string[];
	/** Databases on the server of RESORT_TEST_POSTGRES. */
	readonly databases?: ServerDatabases;
}

/** Databases on a server, which tests create and drop. */
export interface ServerDatabases {
	create(): Promise<string>;
	/** @param url the database; by default an empty one, which is used again after the store is closed */
	open(url?: () => Promise<string>): LosableStore;
	drop(url: string): Promise<void>;
}
