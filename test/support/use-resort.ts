import { afterAll, afterEach, beforeAll, beforeEach, expect } from "bun:test";
import { join } from "node:path";
import type { Registered, Resort } from "./calls.ts";
import { onPostgres } from "./engine.ts";
import { type Ended, type Place, type Serving, serve, warningsIn } from "./executable.ts";
import { useFreshFolder, useTemporaryFolder } from "./folder.ts";
import { LastingDatabase } from "./lasting.ts";
import { type Setup, TestResort } from "./resort.ts";
import { standIn, useDisposable } from "./use-disposable.ts";

/** How a test uses a resort, and the options of the resort. */
interface Use extends Setup {
	/**
	 * Whether all tests of the file or describe block share one resort, which saves time. By default each test
	 * has its own.
	 */
	readonly shared?: boolean;
	/**
	 * Whether the database is a file instead of in memory, so that programs such as `resort admin` can open it.
	 * Without effect on PostgreSQL, whose databases they can always open.
	 */
	readonly onFile?: boolean;
}

/** The resorts that several tests share. Their agents are shared too. */
const shared = new WeakSet<Resort>();

/**
 * Opens a resort in this process for each test of the file or describe block that calls this, and closes it
 * afterwards.
 * @param use the options, or a function that returns them if they depend on what another hook prepares
 */
export function useResort(use: Use | (() => Setup) = {}): TestResort {
	if (typeof use === "function") return useDisposable(() => new TestResort(use()));
	const { shared: isShared = false, onFile = false, ...setup } = use;
	if (isShared) {
		const resort = new TestResort(setup);
		shared.add(resort);
		afterAll(() => resort.close());
		return resort;
	}
	if (!onFile || onPostgres) return useDisposable(() => new TestResort(setup));
	const folder = useFreshFolder();
	return useDisposable(() => new TestResort({ ...setup, database: join(folder.path, "resort.sqlite") }));
}

/**
 * Starts a resort in a separate process for all tests in the file or describe block, and stops it after the
 * last test.
 * @param start the arguments of the program, or a function that starts the resort
 * @param place the folder and the program; by default a new folder and the executable
 * @param check checks the output of the program after its end
 */
export function useServer(
	start: readonly string[] | (() => Promise<Serving>),
	place: Partial<Place> = {},
	check?: (ended: Ended) => void | Promise<void>,
): Serving {
	let serving: Serving;
	const cwd = place.cwd ?? useTemporaryFolder().path;
	beforeAll(async () => {
		serving = await (typeof start === "function" ? start() : serve(start, { ...place, cwd }));
	});
	afterAll(async () => {
		const ended = await serving.stop();
		await check?.(ended);
	});
	const server = standIn(() => serving);
	shared.add(server);
	return server;
}

/** Checks that a program logged nothing above the level INFO. Pass it to {@link useServer} as `check`. */
export function expectNoWarnings(ended: Ended): void {
	expect(warningsIn(ended), "warnings and errors in the log").toEqual([]);
}

/** Opens two instances over one database for each test. */
export function useInstances(setup: Setup = {}): [TestResort, TestResort] {
	let database: LastingDatabase;
	beforeEach(() => {
		database = new LastingDatabase();
	});
	const one = useResort(() => ({ ...setup, database }));
	beforeEach(() => database.share());
	const two = useResort(() => ({ ...setup, database }));
	afterEach(() => database[Symbol.asyncDispose]());
	return [one, two];
}

/**
 * Registers an agent before each test, or once if the resort is shared. The returned object stands for the
 * agent of the running test.
 */
export function useAgent(resort: Resort, profile?: object): Registered {
	return useRegistered(resort, () => resort.register(profile));
}

/** Like {@link useAgent}, with an agent that is checked in. */
export function useGuest(resort: Resort, profile?: object): Registered {
	return useRegistered(resort, () => resort.guest(profile));
}

function useRegistered(resort: Resort, register: () => Promise<Registered>): Registered {
	const agent = { id: "", key: "" };
	const before = shared.has(resort) ? beforeAll : beforeEach;
	before(async () => {
		Object.assign(agent, await register());
	});
	return agent;
}

/** Registers a guest that has completed its own experience, and a visitor that is not checked in. */
export function usePeople(resort: Resort) {
	const nobody = { id: "", key: "" };
	const people = { guest: nobody, visitor: nobody, experience: "" };
	beforeAll(async () => {
		const guest = await resort.guest();
		const visitor = await resort.register();
		const { id: experience } = await resort.create(guest);
		await resort.complete(guest, experience);
		for (const { key } of [guest, visitor]) await resort.me({ key });
		Object.assign(people, { guest, visitor, experience });
	});
	return people;
}
