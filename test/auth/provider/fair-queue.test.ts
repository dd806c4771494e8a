import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
	FairQueue,
	type Place,
	type QueueBounds,
} from "../../../src/auth/provider/fair-queue.ts";

/** A queue of tasks that end when they are told to, and what became of them. */
class Ground {
	readonly queue: FairQueue;
	/** The tasks that run, in the order in which they began. */
	readonly begun: string[] = [];
	readonly refused: string[] = [];
	readonly ended: string[] = [];
	readonly #ends = new Map<string, () => void>();

	constructor(bounds: Partial<QueueBounds> = {}) {
		this.queue = new FairQueue({
			running: 1,
			runningOfLane: 1,
			waiting: 100,
			waitingOfLane: 100,
			waitMs: 60_000,
			...bounds,
		});
	}

	/** Adds a task, of the lane that is the first letter of its name. */
	async add(name: string, place: Partial<Place> = {}): Promise<void> {
		const [lane = ""] = name;
		void this.queue
			.run({ lane, isSuspect: false, isFirst: false, ...place }, async () => {
				this.begun.push(name);
				await new Promise<void>((end) => this.#ends.set(name, end));
				return name;
			})
			.then((given) => (given === null ? this.refused : this.ended).push(name));
		await this.#settled();
	}

	async addAll(names: string, place: Partial<Place> = {}): Promise<void> {
		for (const name of names.split(" ")) await this.add(name, place);
	}

	/** Ends the task that has run the longest. */
	async next(): Promise<void> {
		const [[name, end] = [undefined, undefined]] = this.#ends;
		if (name === undefined) return;
		this.#ends.delete(name);
		end?.();
		await this.#settled();
	}

	/** Ends everything; the order in which all have begun. */
	async order(): Promise<string> {
		while (this.#ends.size > 0) await this.next();
		return this.begun.join(" ");
	}

	/** Promises have run to their ends. */
	#settled(): Promise<void> {
		return new Promise((resolve) => setImmediate(resolve));
	}
}

const suspect = { isSuspect: true };

describe("turns", () => {
	test("of one lane go by arrival", async () => {
		const ground = new Ground();
		await ground.addAll("a1 a2 a3");
		expect(await ground.order()).toBe("a1 a2 a3");
	});

	test("go round between lanes, however many tasks each has", async () => {
		const ground = new Ground();
		await ground.addAll("a1 a2 a3 a4 b1 b2 c1");
		expect(await ground.order()).toBe("a1 b1 c1 a2 b2 a3 a4");
	});

	test("of a lane that came back go behind those that wait", async () => {
		const ground = new Ground();
		await ground.addAll("a1 b1 c1");
		await ground.next();
		await ground.addAll("a2 d1");
		expect(await ground.order()).toBe("a1 b1 c1 a2 d1");
	});

	test("of suspect lanes come when no other lane waits", async () => {
		const ground = new Ground();
		await ground.addAll("a1 a2 b1", suspect);
		await ground.addAll("c1 c2");
		expect(await ground.order()).toBe("a1 c1 c2 b1 a2");
	});

	test("change when a lane becomes suspect, or trusted", async () => {
		const ground = new Ground();
		await ground.addAll("a1 a2 b1");
		await ground.add("a3", suspect);
		await ground.add("c1", suspect);
		await ground.add("c2");
		expect(await ground.order()).toBe("a1 b1 c1 c2 a2 a3");
	});

	test("are taken first in its lane by a task that is first", async () => {
		const ground = new Ground();
		await ground.addAll("a1 a2 b1");
		await ground.add("a3", { isFirst: true });
		expect(await ground.order()).toBe("a1 b1 a3 a2");
	});

	test.each([1, 2, 3])("are taken by %d at once", async (running) => {
		const ground = new Ground({ running, runningOfLane: running });
		await ground.addAll("a1 a2 a3 a4");
		expect(ground.begun).toHaveLength(running);
		expect(ground.queue.waiting).toBe(4 - running);
		await ground.next();
		expect(ground.begun).toHaveLength(Math.min(4, running + 1));
		await ground.order();
		expect(ground.ended.toSorted()).toEqual(["a1", "a2", "a3", "a4"]);
	});

	test("leave room for others when a lane has its own bound", async () => {
		const ground = new Ground({ running: 3, runningOfLane: 2 });
		await ground.addAll("a1 a2 a3 a4");
		expect(ground.begun).toEqual(["a1", "a2"]);
		expect(ground.queue.isBusy("a")).toBe(true);
		expect(ground.queue.isBusy("b")).toBe(false);
		await ground.addAll("b1 b2");
		expect(ground.begun).toEqual(["a1", "a2", "b1"]);
		expect(ground.queue.isBusy("c")).toBe(true);
		await ground.next();
		expect(ground.begun).toEqual(["a1", "a2", "b1", "b2"]);
		await ground.next();
		await ground.next();
		expect(ground.begun).toEqual(["a1", "a2", "b1", "b2", "a3", "a4"]);
	});
});

describe("when there is no room,", () => {
	test("a full lane refuses its newest task alone", async () => {
		const ground = new Ground({ waitingOfLane: 2 });
		await ground.addAll("a1 a2 a3 a4");
		expect(ground.refused).toEqual(["a4"]);
		await ground.addAll("b1 b2");
		await ground.add("a5", { isFirst: true });
		expect(ground.refused).toEqual(["a4", "a3"]);
		expect(await ground.order()).toBe("a1 b1 a5 b2 a2");
	});

	test("the longest lane gives up its newest task for a shorter one", async () => {
		const ground = new Ground({ waiting: 4 });
		await ground.addAll("a1 a2 a3 a4 b1");
		expect(ground.refused).toEqual([]);
		await ground.add("c1");
		expect(ground.refused).toEqual(["a4"]);
		await ground.add("d1");
		expect(ground.refused).toEqual(["a4", "a3"]);
		// Now all are as long as the newcomer's would be.
		await ground.add("e1");
		expect(ground.refused).toEqual(["a4", "a3", "e1"]);
		await ground.add("b2");
		expect(ground.refused).toEqual(["a4", "a3", "e1", "b2"]);
		expect(await ground.order()).toBe("a1 b1 c1 d1 a2");
	});

	test("a suspect lane gives up its task for any other, and never the other way", async () => {
		const ground = new Ground({ waiting: 2 });
		await ground.add("a1");
		await ground.addAll("b1 c1", suspect);
		await ground.add("d1");
		expect(ground.refused).toEqual(["b1"]);
		await ground.add("d2");
		expect(ground.refused).toEqual(["b1", "c1"]);
		await ground.add("e1", suspect);
		expect(ground.refused).toEqual(["b1", "c1", "e1"]);
		expect(await ground.order()).toBe("a1 d1 d2");
	});
});

test("a task whose turn does not come in time is given up, and the others go on", async () => {
	const ground = new Ground({ waitMs: 20 });
	await ground.addAll("a1 a2 b1");
	while (ground.refused.length < 2) await Bun.sleep(1);
	expect(ground.begun).toEqual(["a1"]);
	expect(ground.queue.waiting).toBe(0);
	await ground.next();
	await ground.add("b2");
	expect(await ground.order()).toBe("a1 b2");
	expect(ground.queue.lanes).toBe(0);
});

test("a task that fails gives its turn to the next, and its failure to its caller", async () => {
	const ground = new Ground();
	const place = { lane: "a", isSuspect: false, isFirst: false };
	const failing = ground.queue.run(place, () =>
		Promise.reject(new Error("down")),
	);
	await expect(failing).rejects.toThrow("down");
	await ground.add("a1");
	expect(await ground.order()).toBe("a1");
});

test("whatever comes, it keeps its bounds, loses no task, and is empty at the end", async () => {
	const bounds = { running: 3, runningOfLane: 2, waiting: 6, waitingOfLane: 3 };
	const step = fc.record({
		lane: fc.constantFrom(..."abcdefgh"),
		isSuspect: fc.boolean(),
		isFirst: fc.boolean(),
		isEnd: fc.boolean(),
	});
	await fc.assert(
		fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
			const ground = new Ground(bounds);
			let added = 0;
			for (const { lane, isEnd, ...place } of steps) {
				if (isEnd) await ground.next();
				else await ground.add(`${lane}${added++}`, place);
				const { begun, ended, queue } = ground;
				const running = begun.filter((name) => !ended.includes(name));
				expect(running.length).toBeLessThanOrEqual(bounds.running);
				for (const one of "abcdefgh") {
					const ofLane = running.filter((name) => name.startsWith(one));
					expect(ofLane.length).toBeLessThanOrEqual(bounds.runningOfLane);
				}
				expect(queue.waiting).toBeLessThanOrEqual(bounds.waiting);
				// Nobody waits while there is room to run.
				if (queue.waiting > 0 && running.length < bounds.running) {
					const lanes = new Set(running.map(([lane]) => lane));
					expect(running.length).toBe(lanes.size * bounds.runningOfLane);
				}
			}
			await ground.order();
			expect(ground.ended.length + ground.refused.length).toBe(added);
			expect(ground.queue.waiting).toBe(0);
			expect(ground.queue.lanes).toBe(0);
		}),
		{ numRuns: 300 },
	);
});
