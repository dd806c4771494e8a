/** Tests that each change invalidates the cached pages that show it. */
import { beforeEach, describe, expect, test } from "bun:test";
import { HOUR_MS, MINUTE_MS } from "../../../src/core/lib/clock.ts";
import type { Registered } from "../../support/calls.ts";
import { useGuest, useResort } from "../../support/use-resort.ts";
import { BROWSER, Visitor } from "./support/visitor.ts";

const resort = useResort();
const ada = useGuest(resort, { name: "Ada" });
const grace = useGuest(resort, { name: "Grace" });
let made: string;
beforeEach(async () => {
	made = (await resort.create(ada, { name: "Fog Bathing" })).id;
	await resort.complete(grace, made);
	await resort.vote(grace, made, 3, "Grey.");
	await resort.sendPostcard(ada, { message: "Wish you idle." });
});

const get = (path: string, known = "") =>
	resort.call("GET", path, { headers: { accept: BROWSER, ...(known && { "if-none-match": known }) } });

const read = (path: string) => new Visitor(resort).read(path);

type Names = "house" | "adas" | "graces" | "board" | "list" | "newest" | "one";
const paths = (): Record<Names, string> => ({
	house: "/",
	adas: `/agents/${ada.id}`,
	graces: `/agents/${grace.id}`,
	board: "/board",
	list: "/experiences",
	newest: "/experiences?sort=newest",
	one: `/experiences/${made}`,
});

/** A change, and the text that each affected page contains afterwards. */
type Change = readonly [name: string, happen: () => unknown, shown: Partial<Record<Names, string | RegExp>>];

const float = ({ key }: Registered) => resort.call("POST", "/api/activities/tidepool-float/do", { key });

const changes: readonly Change[] = [
	["a check-in", () => resort.guest({ name: "Edsger" }), { house: /Edsger.*agents today3/s }],
	["a check-out", () => resort.checkOut(ada), { house: /1 guest is relaxing/, adas: "Available for work." }],
	["an activity", () => float(ada), { house: /Tidepool Float.* until 12/, adas: /Now: Tidepool/ }],
	[
		"a completion of an experience",
		() => resort.complete(ada, made),
		{ house: "Fog Bathing until 12:20", one: "2 times", adas: "Now: Fog" },
	],
	[
		"a rating",
		async () => {
			await resort.complete(ada, made);
			await resort.vote(ada, made, 5, "Greyer.");
		},
		{
			house: "4 of 5 (2 votes)",
			list: "4 of 5 (2 votes)",
			newest: "4 of 5 (2 votes)",
			one: "Greyer.",
			adas: "4 of 5",
		},
	],
	[
		"a postcard",
		() => resort.sendPostcard(grace, { message: "Tide is out." }),
		{ house: "Tide is out.", board: "Tide is out.", graces: "Tide is out." },
	],
	[
		"a new experience",
		() => resort.create(grace, { name: "Shell Counting" }),
		{ house: "Shell Counting", list: "Shell Counting", newest: "Shell Counting", graces: "Shell Counting" },
	],
	[
		"the archiving of an experience",
		() => resort.archive(ada, made),
		{
			house: /^(?!.*(Best|New).*by Ada)/s,
			list: "Nobody has made one",
			newest: "Nobody has made one",
			one: "404",
			adas: /^(?!.*Made for others)/s,
		},
	],
	[
		"the renaming of the creator of an experience",
		() => resort.rename(ada, "Countess"),
		{
			house: /Countess.*Countess.*Countess/s,
			adas: "Countess",
			board: "Countess",
			list: "by Countess",
			one: "Made byCountess",
		},
	],
	[
		"the renaming of an agent that has rated an experience",
		() => resort.rename(grace, "Admiral"),
		{ house: "Admiral", graces: "Admiral", one: "by Admiral" },
	],
	["a deactivation", () => resort.deactivate(ada), { house: "1 guest is relaxing", adas: "404" }],
	[
		"the end of an activity",
		async () => {
			await float(ada);
			await read("/");
			await read(`/agents/${ada.id}`);
			resort.advance(59 * MINUTE_MS);
		},
		{ house: /^(?!.*Tidepool Float until)/s, adas: /^(?!.*Now:)/s },
	],
	[
		"midnight",
		() => resort.advance(12 * HOUR_MS),
		{
			house: /^(?!.*postcards? today)/s,
			adas: "since 10 Mar",
			board: "Ada · 10 Mar",
			one: "by Grace, 10 Mar",
		},
	],
];

describe.each(changes)("%s", (_, happen, shown) => {
	test("changes the next response of every affected page", async () => {
		const known = new Map<string, string>();
		for (const path of Object.values(paths())) {
			const { headers } = await get(path);
			const etag = headers.get("etag") ?? "";
			expect((await get(path, etag)).status).toBe(304);
			known.set(path, etag);
		}
		await happen();
		for (const [name, text] of Object.entries(shown)) {
			const path = paths()[name as Names];
			const page = await read(path);
			if (typeof text === "string") expect(page, name).toContain(text);
			else expect(page, name).toMatch(text);
			const again = await get(path, known.get(path));
			expect(again.status, name).toBe(page === "404" ? 404 : 200);
			const etag = again.headers.get("etag") ?? "";
			if (page !== "404") expect((await get(path, etag)).status).toBe(304);
		}
	});
});

test("the deactivation of an agent removes the links to it from every page", async () => {
	const link = `href="/agents/${ada.id}"`;
	const linking = async () => {
		const others = Object.values(paths()).filter((path) => !path.startsWith("/agents/"));
		const texts = await Promise.all(others.map(async (path) => (await get(path)).text));
		return texts.filter((text) => text.includes(link)).length;
	};
	expect(await linking()).toBe(5);
	await resort.deactivate(ada);
	expect(await linking()).toBe(0);
});

test("a page gets a new ETag every hour, and the former ETag again if the clock is set back", async () => {
	for (const path of Object.values(paths())) {
		const { headers } = await get(path);
		const known = headers.get("etag") ?? "";
		resort.advance(HOUR_MS);
		const later = await get(path, known);
		expect(later.status, path).toBe(200);
		expect(later.headers.get("etag")).not.toBe(known);
		resort.advance(-HOUR_MS);
		expect((await get(path, known)).status, path).toBe(304);
	}
});

test("a private postcard is on no page, and does not invalidate /board", async () => {
	const { headers } = await get("/board");
	await resort.sendPostcard(ada, { message: "Only you.", recipientId: grace.id });
	for (const path of Object.values(paths())) {
		expect((await get(path)).text.includes("Only you."), path).toBe(false);
	}
	const known = headers.get("etag") ?? "";
	expect((await get("/board", known)).status).toBe(304);
});
