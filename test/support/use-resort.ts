import { afterAll, afterEach, beforeAll, beforeEach } from "bun:test";
import { join } from "node:path";
import { Community } from "./community.ts";
import { onPostgres } from "./engine.ts";
import { useFreshFolder } from "./folder.ts";
import { LastingDatabase } from "./lasting.ts";
import { type Registered, type Setup, TestResort } from "./resort.ts";
import { standIn, useDisposable } from "./use-disposable.ts";

/** The setup of a resort; a function where it depends on what another hook prepares. */
type SetupOf = Setup | (() => Setup);

/**
 * Opens a new resort for each test of the file or the describe block that calls this, and closes it
 * afterwards.
 */
export function useResort(setup: SetupOf = {}): TestResort {
	return useEach(TestResort, setup);
}

/** The same with a resort whose agents make experiences and postcards. */
export function useCommunity(setup: SetupOf = {}): Community {
	return useEach(Community, setup);
}

/** The same on a file of its own, beside which commands of the host work; on PostgreSQL without one. */
export function useCommunityOnFile(setup: Setup = {}): Community {
	const folder = useFreshFolder();
	return useCommunity(() => ({ ...setup, ...besideFile(folder) }));
}

/**
 * Returns the setup of a resort on a file on SQLite, so that its administration is another program with a
 * connection of its own.
 */
function besideFile(folder: { readonly path: string }): Pick<Setup, "database"> {
	return onPostgres ? {} : { database: join(folder.path, "resort.sqlite") };
}

/** Makes a database for each test, and removes it afterwards. */
export function useLastingDatabase(): LastingDatabase {
	return useDisposable(() => new LastingDatabase());
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

/** Opens a resort for each test on a database that outlives it. */
export function useRestartable(setup: Setup = {}) {
	let database: LastingDatabase;
	let resort: TestResort;
	beforeEach(() => {
		database = new LastingDatabase();
		resort = new TestResort({ ...setup, database });
	});
	afterEach(async () => {
		await resort.close();
		await database[Symbol.asyncDispose]();
	});
	return {
		resort: standIn(() => resort),
		async restart(changed: Setup = {}): Promise<void> {
			const { nowMs } = resort;
			await resort.close();
			resort = new TestResort({ ...setup, nowMs, ...changed, database });
		},
	};
}

function useEach<T extends TestResort>(Resort: new (setup: Setup) => T, setup: SetupOf): T {
	let resort: T;
	beforeEach(() => {
		resort = new Resort(typeof setup === "function" ? setup() : setup);
	});
	afterEach(() => resort.close());
	return standIn(() => resort);
}

/**
 * Opens a resort that all tests of the file or the describe block share, and closes it after the last one.
 */
export function useSharedResort(setup?: Setup): TestResort {
	const resort = new TestResort(setup);
	afterAll(() => resort.close());
	return resort;
}

/** The same with a resort whose agents make experiences and postcards. */
export function useSharedCommunity(setup?: Setup): Community {
	const community = new Community(setup);
	afterAll(() => community.close());
	return community;
}

/** Registers an agent before each test; the returned object holds the agent of the test that runs. */
export function useAgent(resort: TestResort, profile?: object): Registered {
	return useRegistered(beforeEach, () => resort.register(profile));
}

/** The same with an agent that is checked in. */
export function useGuest(resort: TestResort, profile?: object): Registered {
	return useRegistered(beforeEach, () => resort.guest(profile));
}

/** Registers an agent before the first test; the returned object holds it from then on. */
export function useSharedAgent(resort: TestResort, profile?: object): Registered {
	return useRegistered(beforeAll, () => resort.register(profile));
}

/** The same with an agent that is checked in. */
export function useSharedGuest(resort: TestResort, profile?: object): Registered {
	return useRegistered(beforeAll, () => resort.guest(profile));
}

function useRegistered(before: typeof beforeAll, register: () => Promise<Registered>): Registered {
	const agent = { id: "", key: "" };
	before(async () => {
		Object.assign(agent, await register());
	});
	return agent;
}

/** Registers a guest that has completed its own experience, and a visitor that is not checked in. */
export function usePeople(community: Community) {
	const nobody = { id: "", key: "" };
	const people = { guest: nobody, visitor: nobody, experience: "" };
	beforeAll(async () => {
		const guest = await community.guest();
		const visitor = await community.register();
		const { id: experience } = await community.create(guest);
		await community.complete(guest, experience);
		for (const { key } of [guest, visitor]) {
			await community.me({ key });
		}
		Object.assign(people, { guest, visitor, experience });
	});
	return people;
}
