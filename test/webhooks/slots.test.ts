import { describe, expect, test } from "bun:test";
import { Slots } from "../../src/webhooks/slots.ts";

const going = new AbortController().signal;

/** Tasks that run until they are told to end. */
class Tasks {
	readonly slots = new Slots();
	readonly running = new Map<string, () => void>();
	most = 0;

	start(host: string, name = host, signal = going): Promise<void> {
		return this.slots.run(host, signal, async () => {
			const { promise, resolve } = Promise.withResolvers<void>();
			this.running.set(name, resolve);
			this.most = Math.max(this.most, this.running.size);
			await promise;
			this.running.delete(name);
		});
	}

	async end(name: string): Promise<void> {
		this.running.get(name)?.();
		await Bun.sleep(0);
	}
}

describe("slots", () => {
	test("let 2 to one host through, the others in their order", async () => {
		const tasks = new Tasks();
		for (const name of ["1", "2", "3", "4"]) void tasks.start("a", name);
		void tasks.start("b", "5");
		await Bun.sleep(0);
		expect([...tasks.running.keys()]).toEqual(["1", "2", "5"]);
		await tasks.end("2");
		expect([...tasks.running.keys()]).toEqual(["1", "5", "3"]);
		await tasks.end("5");
		expect([...tasks.running.keys()]).toEqual(["1", "3"]);
	});

	test("let 20 through in all", async () => {
		const tasks = new Tasks();
		for (let at = 0; at < 30; at++) void tasks.start(`host${at}`);
		await Bun.sleep(0);
		expect(tasks.running.size).toBe(20);
		for (let at = 0; at < 30; at++) await tasks.end(`host${at}`);
		expect(tasks.running.size).toBe(0);
		expect(tasks.most).toBe(20);
	});

	test("forget who waits no longer, and a task that fails", async () => {
		const tasks = new Tasks();
		const fails = tasks.slots.run("a", going, () =>
			Promise.reject(new Error("no")),
		);
		expect(fails).rejects.toThrow("no");
		await Bun.sleep(0);
		for (const name of ["1", "2"]) void tasks.start("a", name);
		const ending = new AbortController();
		const left = tasks.start("a", "3", ending.signal);
		void tasks.start("a", "4");
		ending.abort(new Error("left"));
		expect(left).rejects.toThrow("left");
		await tasks.end("1");
		expect([...tasks.running.keys()]).toEqual(["2", "4"]);
	});
});
