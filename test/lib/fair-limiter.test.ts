import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
	FairLimiter,
	LimitExceeded,
	type LimiterBounds,
	type SlotRequest,
} from "../../src/lib/fair-limiter.ts";
import { networkSlot } from "../../src/lib/network-limits.ts";

interface Bounds extends LimiterBounds {
	/** How many tasks of one lane run at once. */
	readonly runningOfLane: number;
}

/** A limiter of tasks that end when a test says so, and what became of them. */
class Tasks {
	readonly limiter: FairLimiter;
	/** The tasks that were started, in this order. */
	readonly begun: string[] = [];
	readonly refused: string[] = [];
	readonly ended: string[] = [];
	readonly #bounds: Bounds;
	readonly #ends = new Map<string, () => void>();

	constructor(bounds: Partial<Bounds> = {}) {
		this.#bounds = { running: 1, runningOfLane: 1, waiting: 100, ...bounds };
		this.limiter = new FairLimiter(this.#bounds);
	}

	/** Returns the request of a task; its lane is the first letter of its name. */
	request(name: string, request: Partial<SlotRequest> = {}): SlotRequest {
		const [lane = ""] = name;
		const limit = this.#bounds.runningOfLane;
		return { lanes: [{ key: lane, limit }], ...request };
	}

	async add(name: string, request: Partial<SlotRequest> = {}): Promise<void> {
		void this.limiter
			.run(this.request(name, request), async () => {
				this.begun.push(name);
				await new Promise<void>((end) => this.#ends.set(name, end));
			})
			.then(
				() => this.ended.push(name),
				() => this.refused.push(name),
			);
		await this.#settled();
	}

	async addAll(names: string, request?: Partial<SlotRequest>): Promise<void> {
		for (const name of names.split(" ")) await this.add(name, request);
	}

	/** Ends a task, the one that has run the longest if none is named. */
	async end(name = [...this.#ends.keys()][0] ?? ""): Promise<void> {
		const end = this.#ends.get(name);
		this.#ends.delete(name);
		end?.();
		await this.#settled();
	}

	/** Ends all tasks and returns the order in which they were started. */
	async order(): Promise<string> {
		while (this.#ends.size > 0) await this.end();
		return this.begun.join(" ");
	}

	/** Resolves when all promises have run to their ends. */
	#settled(): Promise<void> {
		return new Promise((resolve) => setImmediate(resolve));
	}
}

describe("lanes", () => {
	test("lanes are served in turn, however many tasks each has", async () => {
		const tasks = new Tasks();
		await tasks.addAll("a1 a2 a3 a4 b1 b2 c1");
		expect(await tasks.order()).toBe("a1 b1 c1 a2 b2 a3 a4");
	});

	test("a lane that comes back is served after those that wait", async () => {
		const tasks = new Tasks();
		await tasks.addAll("a1 b1 c1");
		await tasks.end();
		await tasks.addAll("a2 d1");
		expect(await tasks.order()).toBe("a1 b1 c1 a2 d1");
	});

	test("an urgent task goes before the others of its lane", async () => {
		const tasks = new Tasks();
		await tasks.addAll("a1 a2 b1");
		await tasks.add("a3", { isUrgent: true });
		expect(await tasks.order()).toBe("a1 b1 a3 a2");
	});

	test("a lane with a limit of its own leaves room for others", async () => {
		const tasks = new Tasks({ running: 3, runningOfLane: 2 });
		await tasks.addAll("a1 a2 a3 a4");
		expect(tasks.begun).toEqual(["a1", "a2"]);
		expect(tasks.limiter.isBusy(tasks.request("a"))).toBe(true);
		expect(tasks.limiter.isBusy(tasks.request("b"))).toBe(false);
		await tasks.addAll("b1 b2");
		expect(tasks.begun).toEqual(["a1", "a2", "b1"]);
		expect(tasks.limiter.isBusy(tasks.request("c"))).toBe(true);
		await tasks.end();
		expect(tasks.begun).toEqual(["a1", "a2", "b1", "b2"]);
		await tasks.end();
		await tasks.end();
		expect(tasks.begun).toEqual(["a1", "a2", "b1", "b2", "a3", "a4"]);
	});
});

describe("lanes within lanes", () => {
	/** Adds tasks whose lanes are the letters of their names: the first is the widest. */
	async function addAll(tasks: Tasks, names: string): Promise<void> {
		for (const name of names.split(" ")) {
			const [, letters = ""] = /^([a-z]+)/.exec(name) ?? [];
			const lanes = [...letters].map((_, at) => ({
				key: letters.slice(0, at + 1),
				limit: Number.POSITIVE_INFINITY,
			}));
			await tasks.add(name, { lanes: lanes.toReversed() });
		}
	}

	test("a wide lane with many narrow ones is served as often as others", async () => {
		const tasks = new Tasks();
		await addAll(tasks, "aa1 ab1 ac1 ad1 ae1 b1 b2");
		expect(await tasks.order()).toBe("aa1 b1 ab1 b2 ac1 ad1 ae1");
	});

	test("the narrow lanes of a wide one are served in turn", async () => {
		const tasks = new Tasks();
		await addAll(tasks, "aax1 aax2 aax3 aay1 ab1 ac1");
		expect(await tasks.order()).toBe("aax1 ab1 ac1 aay1 aax2 aax3");
	});

	test("of the widest lanes, the one with the fewest running tasks is next", async () => {
		const tasks = new Tasks({ running: 3 });
		await addAll(tasks, "aa1 ab1 b1 ac1 ad1 b2 b3");
		await tasks.end("b1");
		await tasks.end("b2");
		expect(tasks.begun.join(" ")).toBe("aa1 ab1 b1 b2 b3");
		await tasks.end("aa1");
		await tasks.end("ab1");
		expect(tasks.begun.join(" ")).toBe("aa1 ab1 b1 b2 b3 ac1 ad1");
	});

	test("the longest of the widest lanes loses a task of its longest one", async () => {
		const tasks = new Tasks({ waiting: 6 });
		await addAll(tasks, "z1 aa1 aa2 ab1 ac1 b1 b2 b3");
		expect(tasks.refused).toEqual(["aa2"]);
		await addAll(tasks, "c1");
		// Both have three tasks; the older one loses one.
		expect(tasks.refused).toEqual(["aa2", "aa1"]);
		const alone = new Tasks({ waiting: 1 });
		await addAll(alone, "aa1 aa2 ab1");
		expect(alone.refused).toEqual(["ab1"]);
	});
});

test("the last slots are for lanes without a running task", async () => {
	const tasks = new Tasks({ running: 4, reserved: 2, runningOfLane: 4 });
	await tasks.addAll("a1 a2 a3 b1");
	expect(tasks.begun.join(" ")).toBe("a1 a2 b1");
	await tasks.addAll("b2 c1 d1");
	expect(tasks.begun.join(" ")).toBe("a1 a2 b1 c1");
	await tasks.end("c1");
	expect(tasks.begun.join(" ")).toBe("a1 a2 b1 c1 d1");
	await tasks.end("a1");
	await tasks.end("d1");
	expect(tasks.begun.join(" ")).toBe("a1 a2 b1 c1 d1");
	await tasks.end("a2");
	expect(tasks.begun.join(" ")).toBe("a1 a2 b1 c1 d1 a3");
});

describe("when the queue is full,", () => {
	test("a full lane loses its newest task", async () => {
		const tasks = new Tasks({ waitingOfLane: 2 });
		await tasks.addAll("a1 a2 a3 a4");
		expect(tasks.refused).toEqual(["a4"]);
		await tasks.addAll("b1 b2");
		await tasks.add("a5", { isUrgent: true });
		expect(tasks.refused).toEqual(["a4", "a3"]);
		expect(await tasks.order()).toBe("a1 b1 a5 b2 a2");
	});

	test("the longest lane loses its newest task to a shorter one", async () => {
		const tasks = new Tasks({ waiting: 4 });
		await tasks.addAll("a1 a2 a3 a4 b1");
		expect(tasks.refused).toEqual([]);
		await tasks.add("c1");
		expect(tasks.refused).toEqual(["a4"]);
		await tasks.add("d1");
		expect(tasks.refused).toEqual(["a4", "a3"]);
		// Now all are as long as the newcomer's would be.
		await tasks.add("e1");
		expect(tasks.refused).toEqual(["a4", "a3", "e1"]);
		await tasks.add("b2");
		expect(tasks.refused).toEqual(["a4", "a3", "e1", "b2"]);
		expect(await tasks.order()).toBe("a1 b1 c1 d1 a2");
	});
});

test("a task whose signal is aborted waits no longer, and the others go on", async () => {
	const tasks = new Tasks();
	const leaving = new AbortController();
	await tasks.add("a1");
	await tasks.addAll("a2 d1 b1", { signal: leaving.signal });
	await tasks.add("b2");
	leaving.abort(new Error("left"));
	await tasks.add("c1", { signal: leaving.signal });
	expect(tasks.refused.toSorted()).toEqual(["a2", "b1", "c1", "d1"]);
	expect(tasks.limiter.waiting).toBe(1);
	await tasks.addAll("c2 d2");
	expect(await tasks.order()).toBe("a1 b2 c2 d2");
});

test("a task that fails frees its slot, and its caller gets the error", async () => {
	const tasks = new Tasks();
	const failing = tasks.limiter.run(tasks.request("a"), () => Promise.reject(new Error("down")));
	await expect(failing).rejects.toThrow("down");
	await tasks.add("a1");
	expect(await tasks.order()).toBe("a1");
});

describe("keys", () => {
	const host = (key: string) => ({ limits: [{ key, limit: 2 }] });

	test("a task whose keys have room overtakes those that have to wait", async () => {
		const tasks = new Tasks({ running: 20, runningOfLane: 20 });
		await tasks.addAll("a1 b1 c1 d1", host("slow"));
		await tasks.add("a2", host("fast"));
		expect(tasks.begun.join(" ")).toBe("a1 b1 a2");
		await tasks.end("a2");
		expect(tasks.begun.join(" ")).toBe("a1 b1 a2");
		await tasks.end("b1");
		expect(tasks.begun.join(" ")).toBe("a1 b1 a2 c1");
	});

	test("a task counts for all of its keys, each with its own limit", () => {
		const { limiter } = new Tasks({ running: 10 });
		const take = (address: string) =>
			limiter.tryAcquire({
				lanes: [
					{ key: address, limit: 1 },
					{ key: "network", limit: 2 },
				],
			});
		const release = take("a");
		expect(() => take("a")).toThrow(new LimitExceeded("key"));
		take("b");
		expect(() => take("c")).toThrow(new LimitExceeded("key"));
		release();
		release();
		expect(limiter.running("network")).toBe(1);
		expect(limiter.running("a")).toBe(0);
		take("c");
		expect(() => take("d")).toThrow(new LimitExceeded("key"));
	});

	test("without a queue, a request for more than all slots is refused", async () => {
		const limiter = new FairLimiter({ running: 1 });
		const of = (key: string) => networkSlot(key, 1);
		const release = limiter.tryAcquire(of("a"));
		expect(() => limiter.tryAcquire(of("b"))).toThrow(new LimitExceeded("slots"));
		await expect(limiter.acquire(of("b"))).rejects.toThrow(new LimitExceeded("queue"));
		release();
		limiter.tryAcquire(of("b"));
	});
});

test("under any load it keeps its bounds, loses no task, and is empty at the end", async () => {
	const bounds = { running: 3, runningOfLane: 2, waiting: 6, waitingOfLane: 3 };
	const step = fc.record({
		lane: fc.constantFrom(..."abcdefgh"),
		isUrgent: fc.boolean(),
		isEnd: fc.boolean(),
	});
	await fc.assert(
		fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
			const tasks = new Tasks(bounds);
			let added = 0;
			for (const { lane, isEnd, ...request } of steps) {
				if (isEnd) await tasks.end();
				else await tasks.add(`${lane}${added++}`, request);
				const { begun, ended, limiter } = tasks;
				const running = begun.filter((name) => !ended.includes(name));
				expect(running.length).toBeLessThanOrEqual(bounds.running);
				for (const one of "abcdefgh") {
					const ofLane = running.filter((name) => name.startsWith(one));
					expect(ofLane.length).toBeLessThanOrEqual(bounds.runningOfLane);
				}
				expect(limiter.waiting).toBeLessThanOrEqual(bounds.waiting);
				// No task waits while it could run.
				if (limiter.waiting > 0 && running.length < bounds.running) {
					const lanes = new Set(running.map(([lane]) => lane));
					expect(running.length).toBe(lanes.size * bounds.runningOfLane);
				}
			}
			await tasks.order();
			expect(tasks.ended.length + tasks.refused.length).toBe(added);
			expect(tasks.limiter.waiting).toBe(0);
			for (const lane of "abcdefgh") expect(tasks.limiter.running(lane)).toBe(0);
		}),
		{ numRuns: 300 },
	);
});

test("a task of more weight takes more slots, of its keys too", () => {
	const limiter = new FairLimiter({ running: 10 });
	const take = (weight: number, limit = 6) => {
		try {
			return limiter.tryAcquire({
				lanes: [{ key: "a", limit }],
				weight,
				limits: [{ key: "k", limit: 20 }],
			});
		} catch (error) {
			return error instanceof LimitExceeded ? error.full : error;
		}
	};
	const release = take(5) as () => void;
	expect(take(2)).toBe("key");
	expect(take(1)).toBeFunction();
	expect(take(5, 20)).toBe("slots");
	expect(take(4, 20)).toBeFunction();
	release();
	expect(limiter.running("k")).toBe(5);
	expect(take(6, 20)).toBe("slots");
	expect(take(5, 20)).toBeFunction();
});
