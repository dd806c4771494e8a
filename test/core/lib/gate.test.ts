import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { Gate, type GateBounds, type Release } from "../../../src/core/lib/gate.ts";

/**
 * Runs tasks through a gate; each task ends when the test says so. A task's name starts with the client
 * network it belongs to: `a 1` belongs to the network `a`.
 */
class Tasks {
	/** The names of the tasks, in the order in which they started. */
	readonly started: string[] = [];
	/** The reasons why tasks were refused, by the names of the tasks. */
	readonly refused: Record<string, unknown> = {};
	readonly #gate: Gate;
	readonly #releases = new Map<string, Release>();
	#entered = 0;

	constructor(bounds: GateBounds) {
		this.#gate = new Gate(bounds, (full) => new Error(full));
	}

	/** The names of the running tasks. */
	get running(): string[] {
		return [...this.#releases.keys()];
	}

	/** The number of waiting tasks. */
	get waiting(): number {
		return this.#entered - this.started.length - Object.keys(this.refused).length;
	}

	async enter(names: readonly string[], signal?: AbortSignal): Promise<void> {
		for (const name of names) {
			this.#entered++;
			const network = name.slice(0, name.lastIndexOf(" "));
			this.#gate.enter(network, signal).then(
				(release) => {
					this.started.push(name);
					this.#releases.set(name, release);
				},
				(error) => {
					this.refused[name] = error.message;
				},
			);
		}
		await settled();
	}

	/** Ends a task, by default the one that has run the longest. */
	async end(name = this.running[0] ?? ""): Promise<void> {
		// Releases the task twice, because the second release must have no effect.
		for (let call = 0; call < 2; call++) this.#releases.get(name)?.();
		this.#releases.delete(name);
		await settled();
	}

	async endAll(): Promise<void> {
		while (this.running.length > 0) await this.end();
	}
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Returns the names of `count` tasks. Task number n belongs to the network `networkOf(n)`. */
function tasksOf(count: number, networkOf: (at: number) => string): string[] {
	return Array.from({ length: count }, (_, at) => `${networkOf(at)} ${at}`);
}

const subnet = (at: number) => `2001:db8:1:${at.toString(16)}::/64`;

describe("Gate.enter", () => {
	test("lets networks take turns, whatever the number of their tasks", async () => {
		const tasks = new Tasks({ running: 1, waiting: 100 });
		await tasks.enter(["a 1", "a 2", "a 3", "a 4", "b 1", "b 2", "c 1"]);
		await tasks.end();
		await tasks.enter(["c 2"]);
		await tasks.endAll();
		expect(tasks.started).toEqual(["a 1", "a 2", "b 1", "c 1", "a 3", "b 2", "c 2", "a 4"]);
	});

	test("gives the /64 networks of one /48 together at most ten turns between two turns of another network", async () => {
		const tasks = new Tasks({ running: 1, waiting: 1_000 });
		await tasks.enter(["a 0", ...tasksOf(200, subnet), "b 1", "b 2"]);
		await tasks.endAll();
		expect(tasks.started.indexOf("b 1")).toBeLessThanOrEqual(11);
		expect(tasks.started.indexOf("b 2")).toBeLessThanOrEqual(22);
		expect(tasks.started).toHaveLength(203);
	});

	test.each<[name: string, networkOf: (at: number) => string, most: number]>([
		["an address", () => "198.51.100.7", 5],
		["a /48", subnet, 50],
	])("limits the waiting tasks of %s, and still lets other networks wait", async (_, networkOf, most) => {
		const tasks = new Tasks({ running: 1, waiting: 100 });
		await tasks.enter(["a 0", ...tasksOf(1_000, networkOf)]);
		expect(tasks.waiting).toBe(most);
		expect(new Set(Object.values(tasks.refused))).toEqual(new Set(["network"]));
		await tasks.enter(tasksOf(60, (at) => `192.0.2.${at}`));
		expect(tasks.waiting).toBe(Math.min(most + 60, 100));
	});

	test("refuses a task if the waiting tasks of all networks together are at their limit", async () => {
		const tasks = new Tasks({ running: 1, waiting: 2, waitingOfNetwork: 2 });
		await tasks.enter(["a 1", "b 1", "c 1", "d 1"]);
		expect(tasks.refused).toEqual({ "d 1": "all" });
	});

	test("refuses a task whose signal was aborted before or during its wait", async () => {
		const tasks = new Tasks({ running: 1, waiting: 100 });
		const leaving = new AbortController();
		await tasks.enter(["a 1"]);
		await tasks.enter(["a 2", "b 1"], leaving.signal);
		await tasks.enter(["a 3"]);
		leaving.abort();
		await tasks.enter(["c 1"], leaving.signal);
		expect(tasks.refused).toEqual({ "a 2": "all", "b 1": "all", "c 1": "all" });
		expect(tasks.waiting).toBe(1);
		await tasks.endAll();
		expect(tasks.started).toEqual(["a 1", "a 3"]);
	});
});

test("a gate with a random load never exceeds its bounds, and is empty after all tasks have ended", async () => {
	const bounds = { running: 3, ofNetwork: 2, waiting: 6, waitingOfNetwork: 3 };
	// A step is a letter, which starts a task of the network with this name, or null, which ends a task.
	const step = fc.constantFrom(..."abcdefgh", null);
	await fc.assert(
		fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
			const tasks = new Tasks(bounds);
			const runningOf = (network: string) => tasks.running.filter((name) => name[0] === network).length;
			for (const [at, network] of steps.entries()) {
				if (network === null) await tasks.end();
				else await tasks.enter([`${network} ${at}`]);
				const { running, waiting } = tasks;
				expect(running.length).toBeLessThanOrEqual(bounds.running);
				expect(waiting).toBeLessThanOrEqual(bounds.waiting);
				for (const one of "abcdefgh") expect(runningOf(one)).toBeLessThanOrEqual(bounds.ofNetwork);
				// While more tasks may run, a task waits only if its network has reached its own limit.
				if (waiting > 0 && running.length < bounds.running) {
					const networks = new Set(running.map(([network]) => network));
					expect(running.length).toBe(networks.size * bounds.ofNetwork);
				}
			}
			await tasks.endAll();
			expect(tasks.waiting).toBe(0);
			// The gate is empty: as many tasks as it allows may run and wait again.
			await tasks.enter(tasksOf(bounds.running + bounds.waiting, (at) => `another ${at}`));
			expect([tasks.running.length, tasks.waiting]).toEqual([bounds.running, bounds.waiting]);
		}),
		{ numRuns: 200 },
	);
});
