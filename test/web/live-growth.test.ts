import { describe, expect } from "bun:test";
import type { CDPSession, Page } from "playwright-core";
import { browserTools, openBrowser } from "../support/browser.ts";
import { testWith } from "../support/tools.ts";
import { type Guest, register } from "../support/web/guest.ts";
import { serveSources } from "../support/web/houses.ts";

const TIMEOUT_MS = 120_000;

/** An hour of an event a second. */
const EVENTS = 3_600;

/** How many agents come and go at a time. */
const GUESTS = 12;

/** A page is read anew twice a second at most, and once more when all is over. */
const READ_EVERY_MS = 500;

/** How often a page is changed whose growth is measured. */
const CHANGES = 80;

/** What may be there afterwards that was not there before. */
const MOST_NODES = 40;
const MOST_LISTENERS = 5;
const MOST_HEAP = 1_000_000;

interface Held {
	readonly nodes: number;
	readonly heap: number;
	readonly listeners: number;
}

/** What a page holds once its garbage is gone. */
async function held(session: CDPSession): Promise<Held> {
	await session.send("HeapProfiler.collectGarbage");
	await session.send("HeapProfiler.collectGarbage");
	const { nodes, jsEventListeners } = await session.send(
		"Memory.getDOMCounters",
	);
	const { usedSize } = await session.send("Runtime.getHeapUsage");
	return { nodes, heap: usedSize, listeners: jsEventListeners };
}

/**
 * What a page holds by the time that this is no more than it may be. What still goes on in it, as on a busy machine,
 * keeps some of its garbage for a moment.
 */
async function heldFinally(session: CDPSession, before: Held): Promise<Held> {
	let now = await held(session);
	for (let tries = 0; tries < 50 && hasGrown(before, now); tries++) {
		await Bun.sleep(100);
		now = await held(session);
	}
	return now;
}

const hasGrown = (before: Held, now: Held): boolean =>
	now.nodes - before.nodes >= MOST_NODES ||
	now.listeners - before.listeners >= MOST_LISTENERS ||
	now.heap - before.heap >= MOST_HEAP;

/** Lets an agent come and go so often; two events each time. */
async function visit(guest: Guest, times: number): Promise<void> {
	for (let at = 0; at < times; at++) {
		await guest.checkIn();
		await guest.checkOut();
	}
}

function countReads(page: Page): () => number {
	let reads = 0;
	page.on("request", (request) => {
		if (request.resourceType() === "xhr") reads++;
	});
	return () => reads;
}

async function party(url: string): Promise<Guest[]> {
	const names = Array.from({ length: GUESTS }, (_, at) => `Guest ${at}`);
	return Promise.all(names.map((name) => register(url, name)));
}

describe("a page that is open for long", () => {
	testWith(
		browserTools,
		"asks seldom, however much happens",
		async () => {
			await using resort = await serveSources();
			await using browsing = await openBrowser();
			const page = await browsing.context.newPage();
			const reads = countReads(page);
			const startMs = performance.now();
			await page.goto(resort.url);
			const guests = await party(resort.url);
			const times = EVENTS / GUESTS / 2;
			await Promise.all(guests.map((guest) => visit(guest, times)));
			const last = await register(resort.url, "Last");
			await last.checkIn();
			await page.waitForSelector(`#guest-${last.id}`);
			await Bun.sleep(2 * READ_EVERY_MS);
			const spentMs = performance.now() - startMs;
			expect(reads()).toBeLessThanOrEqual(spentMs / READ_EVERY_MS + 1);
			expect(await page.locator("#guests > li").count()).toBe(1);
		},
		TIMEOUT_MS,
	);

	testWith(
		browserTools,
		"does not grow",
		async () => {
			await using resort = await serveSources();
			await using browsing = await openBrowser();
			const page = await browsing.context.newPage();
			// An hour in a few seconds: nothing waits.
			await page.addInitScript(
				"const later = setTimeout; window.setTimeout = (run) => later(run, 0);",
			);
			const session = await browsing.context.newCDPSession(page);
			await page.goto(resort.url);
			const reads = countReads(page);
			const [guest] = await party(resort.url);
			if (guest === undefined) throw new Error("nobody came");
			const change = async (times: number) => {
				for (let at = 0; at < times; at++) {
					await guest.checkIn();
					await page.locator(`#guest-${guest.id}`).waitFor();
					await guest.checkOut();
					await page.locator("#quiet").waitFor();
				}
			};
			await change(20);
			const before = await held(session);
			const readsBefore = reads();
			await change(CHANGES / 2);
			expect(reads() - readsBefore).toBeGreaterThanOrEqual(CHANGES);
			const after = await heldFinally(session, before);
			expect({ before, after, hasGrown: hasGrown(before, after) }).toEqual({
				before,
				after,
				hasGrown: false,
			});
		},
		TIMEOUT_MS,
	);
});
