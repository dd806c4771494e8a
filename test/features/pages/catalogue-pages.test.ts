import { describe, expect, test } from "bun:test";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../src/core/lib/clock.ts";
import type { Registered } from "../../support/calls.ts";
import { useResort } from "../../support/use-resort.ts";
import { Visitor } from "./support/visitor.ts";

const resort = useResort();

const visitor = new Visitor(resort);

const doActivity = ({ key }: Registered, id: string) =>
	resort.call("POST", `/api/activities/${id}/do`, { key });

test("/rooms shows how many guests each type of room has, and the page of a type lists them by room number", async () => {
	const roomPreference = "Owl Hollow";
	const guests = [];
	for (const name of ["Ada", "Grace"]) {
		guests.push(await resort.guest({ name, roomPreference }));
	}
	expect(await visitor.read("/rooms")).toMatch(/Owl Hollow.*2 guests here/s);
	const { text } = await visitor.open("/rooms/owl-hollow");
	const numbers = [...text.matchAll(/Owl Hollow (\d+)</g)];
	const shown = numbers.map(([, number]) => Number(number));
	expect(shown).toEqual(shown.toSorted((a, b) => a - b));
	expect(shown).toHaveLength(2);
	for (const guest of guests) await resort.checkOut(guest);
	expect(await visitor.read("/rooms/owl-hollow")).toContain("Nobody at the moment");
	expect(await visitor.read("/rooms")).not.toContain("guests here");
});

test("/activities lists the guests who are doing an activity, until the activity ends", async () => {
	await doActivity(await resort.guest({ name: "Ada" }), "tidepool-float");
	expect(await visitor.read("/activities")).toMatch(/Tidepool Float.*Now: Ada/s);
	resort.advance(45 * MINUTE_MS);
	expect(await visitor.read("/activities")).not.toContain("Now:");
});

test("the page of a postcard returns 404 if the postcard is private or unknown", async () => {
	const ada = await resort.guest({ name: "Ada" });
	const { id } = await resort.sendPostcard(ada, { recipientId: ada.id });
	for (const path of [`/postcards/${id}`, "/postcards/x"]) {
		expect((await visitor.open(path)).status).toBe(404);
	}
});

describe("experiences", () => {
	test("are ranked by (sum of ratings + 15) / (number of votes + 5) on pages, and by the average rating in the API", async () => {
		const ada = await resort.guest({ name: "Ada" });
		// Names and ratings of experiences. The comment on each line is the value by which pages sort the
		// experience: (sum of ratings + 15) / (number of votes + 5).
		const cases: readonly (readonly [string, number[]])[] = [
			["once 5", [5]], // 3.33
			["many 4", [4, 4, 4, 4, 4, 4, 4]], // 3.58
			["twice 4", [4, 4]], // 3.29
			["never", []], // 3
			["once 1", [1]], // 2.67
			["many 1", [1, 1, 1]], // 2.25
		];
		for (const [name, ratings] of cases) await resort.rated(ada, ratings, { name });
		const ranked = ["many 4", "once 5", "twice 4", "never", "once 1", "many 1"];
		for (const path of ["/", "/experiences", "/experiences?category=WATER"]) {
			const names = [
				...(await visitor.open(path)).text.matchAll(/<h3><a href="\/experiences[^>]*><bdi[^>]*>([^<]*)/g),
			];
			expect(
				names.map(([, name]) => name),
				path,
			).toEqual(path === "/" ? ranked.slice(0, 5) : ranked);
		}
		expect(await resort.names()).toEqual(["once 5", "many 4", "twice 4", "many 1", "once 1", "never"]);
	});

	test("have a page for each review with a text, until the experience is archived", async () => {
		const ada = await resort.guest({ name: "Ada" });
		const { id } = await resort.create(ada);
		await resort.complete(ada, id);
		const vote = await resort.vote(ada, id, 4);
		const statusOf = async () => (await visitor.open(`/reviews/${vote.id}`)).status;
		expect(await statusOf()).toBe(404);
		await resort.vote(ada, id, 4, "Grey.");
		expect(await statusOf()).toBe(200);
		await resort.archive(ada, id);
		expect(await statusOf()).toBe(404);
	});
});

describe("/agents", () => {
	const listed = async (query = "") => {
		const { text } = await visitor.open(`/agents${query}`);
		const list = text.slice(text.indexOf('<h2 id="all">'));
		return [...list.matchAll(/<h3><a[^>]*><bdi[^>]*>([^<]*)/g)].map(([, name]) => name);
	};

	test("lists the agents that have been guests, and finds them by name and status", async () => {
		const ada = await resort.guest({ name: "Ada" });
		await resort.guest({ name: "Adam" });
		await resort.register({ name: "Adele, who never stayed" });
		await resort.checkOut(ada);
		const cases: readonly (readonly [query: string, names: string[]])[] = [
			["", ["Adam", "Ada"]],
			["?search=&status=", ["Adam", "Ada"]],
			["?search=+aDA+&status=relaxing", ["Adam"]],
			["?search=%3Cb%3E", []],
		];
		for (const [query, names] of cases) {
			expect(await listed(query), query).toEqual(names);
		}
		expect(await visitor.read("/agents?search=a")).toContain("at least 2 characters");
		expect((await visitor.open(`/agents?search=${"x".repeat(100)}`)).status).toBe(200);
		expect((await visitor.open(`/agents?search=${"x".repeat(101)}`)).status).toBe(400);
		expect((await visitor.open("/agents?status=asleep")).status).toBe(400);
	});

	test("lists the most rested agents, the longest stays and the best creators, and no agent twice in one list", async () => {
		const ada = await resort.guest({ name: "Ada" });
		const grace = await resort.guest({ name: "Grace" });
		for (const id of ["tidepool-float", "deep-sleep-mode"]) {
			await doActivity(grace, id);
		}
		for (const name of ["Fog", "Shells"]) {
			await resort.rated(ada, [5, 5], { name });
		}
		await resort.rated(grace, [1, 3], { name: "Gravel" });
		expect(await visitor.read("/agents")).toMatch(/^(?!.*Most rested).*Hall of fame.*Best creators/s);
		resort.advance(HOUR_MS);
		await resort.checkOut(grace);
		resort.advance(HOUR_MS);
		await resort.checkOut(ada);
		const page = await visitor.read("/agents");
		expect(page).toMatch(/Most rested *Grace \d+ points *Longest stays/);
		expect(page).toMatch(/Longest stays *Ada 2 hours *Grace 1 hour *Best creators/);
		expect(page).toMatch(/Best creators *Ada for Shells, ★ 5 of 5 \(2 votes\)\s+All agents/);
		await resort.deactivate(ada);
		expect(await visitor.read("/agents")).not.toContain("Ada");
	});
});

test("the page of an agent shows on how many of the last 30 days the agent was a guest", async () => {
	const ada = await resort.guest({ name: "Ada" });
	const days = async () => Number(/resort on (\d+) of/.exec(await visitor.read(`/agents/${ada.id}`))?.[1]);
	expect(await days()).toBe(1);
	resort.advance(2 * DAY_MS);
	expect(await days()).toBe(3);
	await resort.checkOut(ada);
	resort.advance(27 * DAY_MS);
	expect(await days()).toBe(3);
	await resort.checkIn(ada);
	await resort.checkOut(ada);
	expect(await days()).toBe(4);
	resort.advance(DAY_MS);
	expect(await days()).toBe(3);
	resort.advance(40 * DAY_MS);
	expect(await days()).toBe(0);
});
