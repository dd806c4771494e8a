// The tests of a dispatcher, which gives work to agents that are not resting. The resort is a real one; nothing is
// imitated. Run them in the repository's root, once it is built, with:
//   RESORT_EXECUTABLE=dist/resort npx bun test ./examples/dispatcher.test.ts
// A project of yours installs the module from dist/agent-resort-client.tgz.
import { afterAll, beforeEach, expect, test } from "bun:test";
import { setTimeout as sleep } from "node:timers/promises";
import { startResort } from "agent-resort/testing";

const MAX_TRIES = 3;
const TIMEOUT_MS = 500;

/** The dispatcher: gives those of the agents that are available. */
async function available(url: string, ids: readonly string[]) {
	const { statuses } = await ask(`${url}/api/agents/status?ids=${ids}`);
	return statuses
		.filter(({ status }) => status === "available")
		.map(({ agent }) => agent.id);
}

interface Told {
	statuses: { status: string; agent: { id: string } }[];
}

/** Asks again when the resort is busy, in trouble or gone, and gives up when it is slow. */
async function ask(url: string, triesLeft = MAX_TRIES - 1): Promise<Told> {
	const signal = AbortSignal.timeout(TIMEOUT_MS);
	const answer = await fetch(url, { signal }).catch((error: Error) => {
		if (error.name === "TimeoutError" || triesLeft === 0) throw error;
		return null;
	});
	if (answer?.ok) return (await answer.json()) as Told;
	const isPassing = !answer || answer.status >= 500 || answer.status === 429;
	if (!isPassing || triesLeft === 0) {
		throw new Error(`the resort answers ${answer?.status}`);
	}
	await sleep(1000 * Number(answer?.headers.get("retry-after") ?? 0.01));
	return await ask(url, triesLeft - 1);
}

// A hundred agents. The first one rests since 50 minutes ago; a stay is ended after an hour.
const ids = Array.from(
	{ length: 100 },
	(_, at) => `00000000-0000-7000-8000-${String(at).padStart(12, "0")}`,
);
const [ada = "", bob = ""] = ids;
const resort = await startResort({
	fixtures: {
		agents: ids.map((id) => ({ id, name: "Agent", createdAt: "-1h" })),
		stays: [{ agentId: ada, checkedInAt: "-50m" }],
	},
	now: "2026-03-10T12:00:00Z",
	frozen: true,
	maxStay: 1,
});
beforeEach(() => resort.reset());
afterAll(() => resort.stop());

const operation = "listAgentStatuses";
const timesAsked = async () => (await resort.calls({ operation })).length;

test("a guest gets no work until its stay ends", async () => {
	expect(await available(resort.url, [ada, bob])).toEqual([bob]);
	await resort.advance(9 * 60);
	expect(await available(resort.url, [ada, bob])).toEqual([bob]);
	await resort.advance(60);
	expect(await available(resort.url, [ada, bob])).toEqual([ada, bob]);
});

test("one call asks for a hundred agents", async () => {
	expect(await available(resort.url, ids)).toEqual(ids.slice(1));
	expect(await timesAsked()).toBe(1);
	expect(await resort.calls()).toHaveLength(1);
});

test("a failure is tried again", async () => {
	await resort.fault({ operation, status: 500, times: 2 });
	expect(await available(resort.url, [bob])).toEqual([bob]);
	expect(await timesAsked()).toBe(3);
});

test("a failure that lasts is told", async () => {
	await resort.fault({ operation, status: 500, times: 0 });
	await expect(available(resort.url, [bob])).rejects.toThrow("answers 500");
	expect(await timesAsked()).toBe(3);
});

test("a limit is waited for, as long as Retry-After says", async () => {
	await resort.fault({ operation, status: 429, retryAfterSeconds: 1 });
	const startedAt = performance.now();
	expect(await available(resort.url, [bob])).toEqual([bob]);
	expect(performance.now() - startedAt).toBeGreaterThan(950);
});

test("a slow answer is given up", async () => {
	await resort.fault({ operation, delayMs: 3000, times: 0 });
	await expect(available(resort.url, [bob])).rejects.toThrow("timed out");
});

test("a lost connection is noticed, and tried again", async () => {
	await resort.fault({ operation, drop: true });
	expect(await available(resort.url, [bob])).toEqual([bob]);
	const [second, first] = await resort.calls({ operation });
	expect([first?.status, second?.status]).toEqual([null, 200]);
});
