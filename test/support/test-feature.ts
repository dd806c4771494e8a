import type { Part } from "../../src/core/commands/feature.ts";
import type { Answered, Setup, TestResort } from "./resort.ts";
import type { LosableStore } from "./store.ts";

/** What a feature adds to the resorts of tests. `features.ts` lists all. */
export interface TestFeature {
	/** Returns the part of the feature; null if the setup leaves it out. */
	part?(setup: Setup, resort: TestResort): Part | null;
	/** Returns the members that the feature declares for {@link TestResort}. */
	members?(resort: TestResort): Partial<TestResort>;
	/**
	 * Checks an answer.
	 * @throws Error if the answer is wrong
	 */
	check?(resort: TestResort, method: string, path: string, answer: Answered): void;
	/** Databases on the server of RESORT_TEST_POSTGRES. */
	readonly databases?: ServerDatabases;
}

/** Databases on a server, which tests create and drop. */
export interface ServerDatabases {
	create(): Promise<string>;
	/** @param url of the database; an empty one by default, which is used again after the store is closed */
	open(url?: () => Promise<string>): LosableStore;
	drop(url: string): Promise<void>;
}
