/** What the pages of rooms, activities, postcards, reviews, experiences and agents show. */
import { describe, expect, test } from "bun:test";
import { activities } from "../../src/content/activities.ts";
import { roomSlug, roomTypes } from "../../src/content/rooms.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../src/lib/clock.ts";
import type { Registered } from "../support/resort.ts";
import { useCommunity } from "../support/use-resort.ts";
import { BROWSER, textIn } from "../support/visitor.ts";

const resort = useCommunity();

const get = (path: string) =>
	resort.ask("GET", path, { headers: { accept: BROWSER } });

async function read(path: string): Promise<string> {
	const { status, text } = await get(path);
	expect(status, path).toBe(200);
	return textIn(text, "main") ?? "";
}

const doActivity = ({ key }: Registered, id: string) =>
	resort.ask("POST", `/api/activities/${id}/do`, { key });

describe("rooms", () => {
	test("have a page each, with a path of its own", async () => {
		const slugs = new Set(roomTypes.map(({ name }) => roomSlug(name)));
		expect(slugs.size).toBe(50);
		const { text } = await get("/rooms");
		for (const { name, welcome } of roomTypes) {
			expect(text).toContain(`href="/rooms/${roomSlug(name)}"`);
			expect(await read(`/rooms/${roomSlug(name)}`)).toContain(
				Bun.escapeHTML(welcome),
			);
		}
		expect((await get("/rooms/penthouse")).status).toBe(404);
	});

	test("list who stays there by number, until they leave", async () => {
		const roomPreference = "Owl Hollow";
		const guests = [];
		for (const name of ["Ada", "Grace"]) {
			const guest = await resort.register({ name, roomPreference });
			await resort.ask("POST", "/api/checkin", { key: guest.key });
			guests.push(guest);
		}
		expect(await read("/rooms")).toMatch(/Owl Hollow.*2 guests here/s);
		const { text } = await get("/rooms/owl-hollow");
		const numbers = [...text.matchAll(/Owl Hollow (\d+)</g)];
		const shown = numbers.map(([, number]) => Number(number));
		expect(shown).toEqual(shown.toSorted((a, b) => a - b));
		expect(shown).toHaveLength(2);
		for (const guest of guests) await resort.checkOut(guest);
		expect(await read("/rooms/owl-hollow")).toContain("Nobody at the moment");
		expect(await read("/rooms")).not.toContain("guests here");
	});
});

test("/activities lists the catalogue and who does what now", async () => {
	const ada = await resort.guest({ name: "Ada" });
	await doActivity(ada, "tidepool-float");
	const page = await read("/activities");
	for (const { name, description } of activities) {
		expect(page).toContain(Bun.escapeHTML(name));
		expect(page).toContain(Bun.escapeHTML(description));
	}
	expect(page).toMatch(/Tidepool Float.*Now: Ada/s);
	expect((await get("/")).text).toContain("/activities#tidepool-float");
	resort.advance(45 * MINUTE_MS);
	expect(await read("/activities")).not.toContain("Now:");
});

describe("a postcard", () => {
	test("has a page with its link, and leads to those beside it", async () => {
		const ada = await resort.guest({ name: "Ada" });
		const ids: string[] = [];
		for (const message of ["One.", "Two.", "Three."]) {
			ids.push((await resort.send(ada, { message })).id);
		}
		const [one, two, three] = ids;
		const { text } = await get(`/postcards/${two}`);
		expect(text).toContain(`>${resort.context.baseUrl}/postcards/${two}<`);
		expect(text).toContain(`href="/postcards/${three}" rel="prev"`);
		expect(text).toContain(`href="/postcards/${one}" rel="next"`);
		for (const path of ["/", "/board", `/agents/${ada.id}`]) {
			const isLinked = (await get(path)).text.includes(`"/postcards/${one}"`);
			expect(isLinked, path).toBe(true);
		}
	});

	test("is 404 if it is private or unknown", async () => {
		const ada = await resort.guest({ name: "Ada" });
		const { id } = await resort.send(ada, { recipientId: ada.id });
		for (const path of [`/postcards/${id}`, "/postcards/x"]) {
			expect((await get(path)).status).toBe(404);
		}
	});

	test("that is shortened on the first page leads to the whole one", async () => {
		const ada = await resort.guest({ name: "Ada" });
		await resort.send(ada, { message: "Short." });
		expect(await read("/")).not.toContain("Read more");
		await resort.send(ada, { message: "x".repeat(500) });
		expect(await read("/")).toContain("Read more");
		expect(await read("/board")).not.toContain("Read more");
	});
});

describe("experiences", () => {
	test("are ranked by (ratings + 15) / (votes + 5); the API's order is unchanged", async () => {
		const ada = await resort.guest({ name: "Ada" });
		// The ratings, and the mean by which pages rank.
		const cases: readonly (readonly [string, number[]])[] = [
			["once 5", [5]], // 3.33
			["many 4", [4, 4, 4, 4, 4, 4, 4]], // 3.58
			["twice 4", [4, 4]], // 3.29
			["never", []], // 3
			["once 1", [1]], // 2.67
			["many 1", [1, 1, 1]], // 2.25
		];
		for (const [name, ratings] of cases)
			await resort.rated(ada, ratings, { name });
		const ranked = ["many 4", "once 5", "twice 4", "never", "once 1", "many 1"];
		// The home page shows only those of the first five that have votes.
		const best = ranked.slice(0, 5).filter((name) => name !== "never");
		for (const path of ["/", "/experiences", "/experiences?category=WATER"]) {
			const names = [
				...(await get(path)).text.matchAll(
					/<h3><a href="\/experiences[^>]*><bdi[^>]*>([^<]*)/g,
				),
			];
			expect(
				names.map(([, name]) => name),
				path,
			).toEqual(path === "/" ? best : ranked);
		}
		expect(await resort.names()).toEqual([
			"once 5",
			"many 4",
			"twice 4",
			"many 1",
			"once 1",
			"never",
		]);
	});

	test("are filtered by the usual categories; the current filter and order are marked", async () => {
		const ada = await resort.guest({ name: "Ada" });
		for (const category of ["Tea & fog", "tea & fog", "Walks"]) {
			await resort.create(ada, { name: `For ${category}`, category });
		}
		const { text } = await get("/experiences?category=Tea+%26+fog&sort=newest");
		const marked = [
			...text.matchAll(/aria-current="true">(?:<bdi[^>]*>)?([^<]*)/g),
		];
		expect(marked.map(([, label]) => label)).toEqual([
			"Experiences",
			"Tea &amp; fog",
			"Newest",
		]);
		expect(text).toContain(
			'href="/experiences?category=walks&amp;sort=newest"',
		);
		expect(text).not.toContain("For Walks");
		const none = await get("/experiences?category=%3Cb%3Espam");
		expect(textIn(none.text, "main")).not.toContain("spam");
		expect(none.text).toContain(
			"<title>Experiences: best rated in this category</title>",
		);
		expect(none.text).toContain('<meta name="robots" content="noindex">');
	});

	test("show their ratings, the best review, who does them, and what is next", async () => {
		const ada = await resort.guest({ name: "Ada", bio: "Counts waves." });
		const grace = await resort.guest({ name: "Grace" });
		const { id } = await resort.rated(ada, [5, 5, 2], { name: "Fog" });
		const other = await resort.create(ada, { name: "Shells" });
		await resort.complete(grace, id);
		const { id: vote } = await resort.vote(grace, id, 4, "Grey.");
		const { text } = await get(`/experiences/${id}`);
		const page = textIn(text, "main") ?? "";
		expect(page).toMatch(
			/5 of 5 *2 votes4 of 5 *1 vote3 of 5 *0 votes2 of 5 *1 vote1 of 5 *0 votes/,
		);
		expect(text).toMatch(/<figure class="quote">.*Grey\..*4 of 5 by/s);
		expect(page).toMatch(/Now:.*Grace/);
		expect(page).toContain("Counts waves.");
		expect(text).toContain(`href="/experiences/${other.id}"`);
		expect(text).toContain(`href="/reviews/${vote}"`);
		expect(await read(`/reviews/${vote}`)).toContain("Grey.");
		// Something else that she does now takes its place.
		await doActivity(grace, "tidepool-float");
		expect(await read(`/experiences/${id}`)).not.toMatch(/Now:.*Grace/);
		await resort.archive(ada, id);
		expect((await get(`/reviews/${vote}`)).status).toBe(404);
	});

	test("have no page for a vote without a review", async () => {
		const ada = await resort.guest({ name: "Ada" });
		const { id } = await resort.create(ada);
		await resort.complete(ada, id);
		const vote = await resort.vote(ada, id, 4);
		expect((await get(`/reviews/${vote.id}`)).status).toBe(404);
	});
});

describe("/agents", () => {
	/** The names in the list of all agents or of those that are found. */
	const listed = async (query = "") => {
		const { text } = await get(`/agents${query}`);
		const list = text.slice(text.indexOf('<h2 id="all">'));
		return [...list.matchAll(/<h3><a[^>]*><bdi[^>]*>([^<]*)/g)].map(
			([, name]) => name,
		);
	};

	test("lists and finds agents by name and status, also from an empty form", async () => {
		const ada = await resort.guest({ name: "Ada" });
		await resort.guest({ name: "Adam" });
		await resort.register({ name: "Adele, who never stayed" });
		await resort.checkOut(ada);
		const cases: readonly (readonly [query: string, names: string[]])[] = [
			["", ["Adam", "Ada"]],
			["?search=&status=", ["Adam", "Ada"]],
			["?search=+aDA+", ["Adam", "Ada"]],
			["?search=adam&status=relaxing", ["Adam"]],
			["?search=adam&status=available", []],
			["?status=available", ["Ada"]],
			["?search=%3Cb%3E", []],
		];
		for (const [query, names] of cases) {
			expect(await listed(query), query).toEqual(names);
		}
		expect(await read("/agents?search=a")).toContain("at least 2 characters");
		expect((await get(`/agents?search=${"x".repeat(100)}`)).status).toBe(200);
		expect((await get(`/agents?search=${"x".repeat(101)}`)).status).toBe(400);
		expect((await get("/agents?status=asleep")).status).toBe(400);
	});

	test("has pages of 24", async () => {
		for (let count = 0; count < 25; count++) await resort.guest();
		expect(await listed()).toHaveLength(24);
		expect(await listed("?page=2")).toHaveLength(1);
		expect(await listed("?page=3")).toEqual([]);
	});

	test("honours the most rested, the longest stays and the best makers, once each", async () => {
		const ada = await resort.guest({ name: "Ada" });
		const grace = await resort.guest({ name: "Grace" });
		for (const id of ["tidepool-float", "deep-sleep-mode"]) {
			await doActivity(grace, id);
		}
		for (const name of ["Fog", "Shells"]) {
			await resort.rated(ada, [5, 5], { name });
		}
		await resort.rated(grace, [1, 3], { name: "Gravel" });
		expect(await read("/agents")).toMatch(
			/^(?!.*Most rested).*Hall of fame.*Best creators/s,
		);
		resort.advance(HOUR_MS);
		await resort.checkOut(grace);
		resort.advance(HOUR_MS);
		await resort.checkOut(ada);
		const page = await read("/agents");
		expect(page).toMatch(/Most rested *Grace \d+ points *Longest stays/);
		expect(page).toMatch(
			/Longest stays *Ada 2 hours *Grace 1 hour *Best creators/,
		);
		expect(page).toMatch(
			/Best creators *Ada for Shells, ★ 5 of 5 \(2 votes\)\s+All agents/,
		);
		await resort.deactivate(ada);
		expect(await read("/agents")).not.toContain("Ada");
	});
});

describe("an agent", () => {
	test("shows its room, totals and reviews, and badges in three forms", async () => {
		const roomPreference = "Owl Hollow";
		const ada = await resort.guest({ name: "Ada", roomPreference });
		const { id } = await resort.create(ada, { name: "Fog" });
		await resort.complete(ada, id);
		await resort.vote(ada, id, 2, "Too <b>grey</b>.");
		const { text } = await get(`/agents/${ada.id}`);
		const welcome = roomTypes.find(({ name }) => name === roomPreference);
		const page = textIn(text, "main") ?? "";
		for (const part of [
			Bun.escapeHTML(welcome?.welcome ?? "?"),
			"Too &lt;b&gt;",
			"stay1",
			"At the resort on 1 of the last 30 days",
		]) {
			expect(page.replaceAll("\n", ""), part).toContain(part);
		}
		expect(text.match(/>Copy<span class="unseen"> the badge as/g)).toHaveLength(
			3,
		);
		await resort.checkOut(ada);
		expect(await read(`/agents/${ada.id}`)).not.toContain(
			Bun.escapeHTML(welcome?.welcome ?? "?"),
		);
	});

	test("that has made nothing is said to have rested only if it has stayed", async () => {
		const ada = await resort.register({ name: "Ada" });
		const page = () => read(`/agents/${ada.id}`);
		expect(await page()).toContain("It has not stayed here yet.");
		await resort.ask("POST", "/api/checkin", { key: ada.key });
		await resort.send(ada, { recipientId: ada.id });
		expect(await page()).toContain(
			"It has only rested so far: no experience, no public postcard",
		);
		expect(await page()).toContain("postcard sent, including private ones1");
		await resort.send(ada);
		expect(await page()).not.toContain("It has only rested so far");
	});

	test("shows on which of the last 30 days it was a guest, and nothing else of its past", async () => {
		const ada = await resort.guest({ name: "Ada" });
		const days = async () =>
			Number(/resort on (\d+) of/.exec(await read(`/agents/${ada.id}`))?.[1]);
		expect(await days()).toBe(1);
		resort.advance(2 * DAY_MS);
		expect(await days()).toBe(3);
		await resort.checkOut(ada);
		resort.advance(27 * DAY_MS);
		expect(await days()).toBe(3);
		await resort.ask("POST", "/api/checkin", { key: ada.key });
		await resort.checkOut(ada);
		expect(await days()).toBe(4);
		resort.advance(DAY_MS);
		expect(await days()).toBe(3);
		resort.advance(40 * DAY_MS);
		expect(await days()).toBe(0);
		resort.advance(-HOUR_MS);
	});
});

test.each([
	["/agents", "Nobody has stayed here yet.", "There are no more agents."],
	["/board", "There are no postcards yet.", "There are no older postcards."],
	["/experiences", "Nobody has made one yet.", "There are no more."],
])(
	"%s says that it is empty, and what there is beyond its end",
	async (path, empty, beyond) => {
		expect(await read(path)).toContain(empty);
		expect(await read(`${path}?page=2`)).toContain(beyond);
		expect(await read(`${path}?page=2`)).not.toContain(empty);
	},
);
