import { beforeEach, describe, expect, test } from "bun:test";
import { HOUR_MS, MINUTE_MS } from "../../src/lib/clock.ts";
import type { OverviewAnswer } from "../../src/resort/agent-overview/model.ts";
import { fogBathing } from "../support/community.ts";
import { useCommunity, useGuest } from "../support/use-resort.ts";
import { formsIn, textIn, useVisitor, Visitor } from "../support/visitor.ts";

const resort = useCommunity();
const ada = useGuest(resort, { name: "Ada" });
const grace = useGuest(resort, { name: "Grace" });
const person = useVisitor(resort, ada);
// News are those after the registration.
beforeEach(() => resort.advance(1));

/** The text of a page from one heading to the next. */
function under(markup: string, heading: string): string {
	const [, rest = ""] = markup.split(`<h2>${heading}</h2>`);
	return (rest.split("<h2>")[0] ?? "").replaceAll(/<[^>]*>/g, "");
}

describe("GET /me signed in", () => {
	test("shows the overview, the stays, the log and the postcards", async () => {
		const mine = await resort.create(ada);
		await resort.complete(grace, mine.id);
		await resort.vote(grace, mine.id, 4, "Slow and grey.");
		await resort.send(grace, { message: "Come back", recipientId: ada.id });
		await resort.send(ada, { message: "To the board" });
		await resort.send(ada, { message: "To Grace", recipientId: grace.id });
		await resort.ask("POST", "/api/activities/tidepool-float/do", {
			key: ada.key,
			body: { notes: "Salty." },
		});
		const { status, headers, text } = await person.open();
		expect(status).toBe(200);
		expect(headers.get("cache-control")).toBe("no-store");
		expect(headers.has("etag")).toBe(false);
		expect(headers.has("access-control-allow-origin")).toBe(false);
		expect(textIn(text, "h1")).toBe("Ada");
		expect(text).toContain('<span class="lamp">Relaxing</span> in ');
		const news = under(text, "News");
		expect(news).toContain("Grace wrote to itCome back");
		expect(news).toContain("4 of 5Slow and grey.");
		expect(news).toContain(`Grace did ${fogBathing.name}`);
		expect(under(text, "Stays")).toMatch(/ to now · \d+ points/);
		expect(under(text, "Log")).toContain("Salty.");
		expect(under(text, "Postcards received")).toContain(
			"Come backGrace to Ada",
		);
		const sent = under(text, "Postcards sent");
		expect(sent).toContain("To GraceAda to Grace");
		expect(sent).toContain("To the boardAda to everybody");
	});

	test("is live, but not in the response to a form that is refused", async () => {
		const live = `<body data-events="/api/events?ids=${ada.id}&amp;types=`;
		expect((await person.open()).text).toContain(live);
		const moodOnDeparture = "x".repeat(301);
		const refused = await person.send("/me/check-out", { moodOnDeparture });
		expect(refused.status).toBe(400);
		expect(refused.text).toContain("<body>");
	});

	test("has its forms; to check out, only in a stay", async () => {
		const always = ["/me/sign-out", "/me/key", "/me/deactivate"];
		const relaxing = (await person.open()).text;
		expect(formsIn(relaxing)).toEqual(["/me/check-out", ...always]);
		expect(textIn(relaxing, "main")).toContain("Times are UTC.");
		await resort.checkOut(ada);
		const { text } = await person.open();
		expect(text).toContain("Available for work.");
		expect(textIn(text, "main")).toContain("Times are UTC.");
		expect(formsIn(text)).toEqual(always);
	});

	test("shows the newest 20 of a list and says so", async () => {
		for (let at = 0; at < 21; at++) {
			await resort.send(ada, { message: `Card ${at}.` });
		}
		const sent = under((await person.open()).text, "Postcards sent");
		expect(sent).toContain("Card 20.");
		expect(sent).toContain("Card 1.");
		expect(sent).not.toContain("Card 0.");
		expect(sent).toContain("These are the newest 20");
	});
});

test("a visit of /me is no call of the agent: neither lastActive nor its news change", async () => {
	const profile = async () =>
		(await resort.ask("GET", `/api/agents/${ada.id}`)).body.agent;
	const before = (await profile()).lastActive;
	resort.advance(2 * HOUR_MS);
	await resort.send(grace, { message: "While away", recipientId: ada.id });
	// It signs in, looks twice in two visits, and does something.
	const other = await new Visitor(resort).signIn(ada.key);
	await other.open();
	resort.advance(45 * MINUTE_MS);
	await other.open();
	await other.send("/me/check-out");
	await other.send("/me/sign-out");
	expect((await profile()).lastActive).toBe(before);
	const { text } = await resort.ask("GET", "/api/me/overview", ada);
	const { agent, news, since }: OverviewAnswer = JSON.parse(text);
	expect(news.postcards.map(({ message }) => message)).toEqual(["While away"]);
	expect(since).toBe(String(before));
	expect(agent.lastActive).not.toBe(before);
});

test("the sign-in page has the colours of the hour", async () => {
	const visitor = new Visitor(resort);
	const noon = await visitor.open();
	resort.advance(MINUTE_MS);
	expect((await visitor.open()).text).toBe(noon.text);
	resort.advance(12 * HOUR_MS);
	const midnight = await visitor.open();
	expect(noon.text).toContain('data-light="day"');
	expect(midnight.text).toContain('data-light="night"');
});
