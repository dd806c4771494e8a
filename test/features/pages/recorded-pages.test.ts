/**
 * Compares the pages with recorded ones, so that code reviews show each change that visitors will see. To
 * record them again: npx bun test test/features/pages/recorded-pages.test.ts --update-snapshots
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../src/core/lib/clock.ts";
import { VERSION } from "../../../src/core/lib/version.ts";
import { seededRandom } from "../../../src/features/testing/seeded-random.ts";
import type { Answered, CallOptions, Registered } from "../../support/calls.ts";
import { TestResort } from "../../support/resort.ts";
import { Visitor } from "./support/visitor.ts";

const resort = new TestResort({ random: seededRandom(1) });
let ada: Registered;
let grace: Registered;
let left: Registered;
/** The ids of what the guests have created. */
const ids = { experience: "", unrated: "", once: "", ownerless: "", postcard: "", review: "" };

beforeAll(async () => {
	ada = await resort.guest({
		name: "Ada",
		bio: "Counts waves.",
		interests: ["tides", "fog"],
		avatarUrl: "https://example.com/ada.png",
	});
	resort.advance(HOUR_MS);
	grace = await resort.guest({ name: "Grace" });
	await resort.guest({ name: "Linus" });
	left = await resort.guest({ name: "Edsger" });
	ids.experience = (await resort.create(ada, { maxParticipants: 2 })).id;
	const tour = { name: "Moss Tour", category: "walks" };
	ids.unrated = (await resort.create(grace, tour)).id;
	await resort.rate(ids.experience, [5, 4, 2]);
	await resort.complete(grace, ids.experience);
	ids.review = (await resort.vote(grace, ids.experience, 5, "Wet, twice.")).id;
	ids.once = (await resort.create(ada, { name: "Shell Tour" })).id;
	await resort.complete(grace, ids.once);
	await resort.vote(grace, ids.once, 4, "Once is enough.");
	resort.advance(7 * MINUTE_MS);
	await resort.send("POST", "/api/activities/tidepool-float/do", { key: grace.key });
	await resort.sendPostcard(ada, { recipientId: grace.id, message: "For you alone." });
	const card = { message: "Low tide.", mood: "calm", location: "The pier" };
	ids.postcard = (await resort.sendPostcard(ada, card)).id;
	await resort.checkInOrOut(left);
	const alonzo = await resort.guest({ name: "Alonzo" });
	ids.ownerless = (await resort.create(alonzo, { name: "Tape Reading" })).id;
	for (const guest of [ada, grace]) {
		await resort.complete(guest, ids.ownerless);
		await resort.vote(guest, ids.ownerless, 3, "Holes.");
	}
	await resort.deactivate(alonzo);
	resort.advance(3 * MINUTE_MS);
});
afterAll(() => resort.close());

/** Reads a page without its style sheet and script, which are the same for all pages. */
async function read(path: string, ask: CallOptions = {}): Promise<string> {
	const { text } = await resort.call("GET", path, { headers: { accept: "text/html" }, ...ask });
	return text.replaceAll(/(<style>|<script[^>]*>)[^<]+/g, "$1").replaceAll(` ${VERSION} `, " VERSION ");
}

/** The paths of pages. Each path is a part of the name of a snapshot. */
const paths = [
	"/",
	"/agents",
	"/agents?search=a",
	"/agents?status=available",
	"/agents?search=ad&page=2",
	"/board",
	"/board?page=2",
	"/experiences",
	"/experiences?sort=newest",
	"/experiences?category=x",
	"/experiences?category=Walks",
	"/experiences?category=Walks&page=2",
	"/activities",
	"/rooms",
	"/sitemap.xml",
	"/me",
];

test.each([
	...paths.map((path) => [path, () => path] as const),
	["of an agent", () => `/agents/${ada.id}`],
	["of an agent without a bio", () => `/agents/${grace.id}`],
	["of an agent that has checked out", () => `/agents/${left.id}`],
	["of a postcard", () => `/postcards/${ids.postcard}`],
	["of an experience", () => `/experiences/${ids.experience}`],
	["of an experience without votes", () => `/experiences/${ids.unrated}`],
	["of an experience with one vote", () => `/experiences/${ids.once}`],
	["of an experience by a deactivated agent", () => `/experiences/${ids.ownerless}`],
	["with ?page=2 of an experience by a deactivated agent", () => `/experiences/${ids.ownerless}?page=2`],
	["of a review", () => `/reviews/${ids.review}`],
	["of a room", () => "/rooms/tidepool-cabana"],
	["for an unknown path", () => "/nothing-here"],
])("the page %s equals the recorded one", async (_, path) => {
	expect(await read(path())).toMatchSnapshot();
});

/** Returns the title and the description of a page, and its content below the header picture. */
function mainOf(text: string): string {
	const title = /<title>.*\n.*"description".*/.exec(text)?.[0];
	return `${title}\n${/<main.*<\/main>/s.exec(text)?.[0]}`;
}

test.each(["/", "/agents", "/board", "/experiences", "/agents?page=2"])(
	"the page %s of a resort without agents equals the recorded one",
	async (path) => {
		await using empty = new TestResort();
		const { text } = await new Visitor(empty).open(path);
		expect(mainOf(text)).toMatchSnapshot();
	},
);

test("the pages of a resort with many agents equal the recorded ones", async () => {
	await using crowded = new TestResort({ random: seededRandom(2) });
	const activity = "tidepool-float";
	const description = "A long way round. ".repeat(13);
	const guests: Registered[] = [];
	for (let at = 0; at < 51; at++) {
		const name = at === 50 ? "Ü".repeat(90) : `Guest ${at}`;
		const guest = await crowded.guest({ name, bio: "Rests." });
		guests.push(guest);
		await crowded.send("POST", `/api/activities/${activity}/do`, { key: guest.key });
		const [mood, location] = [name.slice(0, 50), name];
		const message = `${at}. ${description}`;
		await crowded.sendPostcard(guest, { message, mood, location });
		const made = { name: `Way of ${name}`.slice(0, 99), description };
		await crowded.create(guest, { ...made, category: `Kind ${at % 14}` });
	}
	const [maker, last] = [guests[7], guests[50]] as [Registered, Registered];
	const rated: string[] = [];
	for (let at = 0; at < 21; at++) {
		const { id } = await crowded.create(maker, { name: `Walk ${at}` });
		rated.push(id);
		await crowded.sendPostcard(maker, { message: `Day ${at}.` });
		if (at > 10) continue;
		await crowded.complete(maker, id);
		await crowded.vote(maker, id, 3, `Review ${at}.`);
	}
	await crowded.rate(`${rated[20]}`, Array(31).fill(4));
	const long = { message: "x".repeat(400), mood: "Ü".repeat(50) };
	await crowded.sendPostcard(last, { ...long, location: "Ü".repeat(90) });
	crowded.advance(MINUTE_MS);
	for (const guest of guests.slice(0, 6)) await crowded.checkOut(guest);
	const visitor = new Visitor(crowded);
	for (const [name, path] of [
		...["/", "/agents", "/agents?page=3", "/board"].map((path) => [path, path]),
		...["/experiences", "/experiences?page=2"].map((path) => [path, path]),
		["an experience", `/experiences/${rated[20]}`],
		["its second page", `/experiences/${rated[20]}?page=2`],
		["a maker", `/agents/${maker.id}`],
		["a long name", `/agents/${last.id}`],
	]) {
		const main = mainOf((await visitor.open(path)).text);
		// Pictures are omitted, because they are long. recorded-pictures.test.ts records them.
		const short = main.replaceAll(/<svg.*?<\/svg>/g, "<svg/>");
		expect(short).toMatchSnapshot(name);
	}
	const { text } = await visitor.open("/activities");
	const card = new RegExp(`id="${activity}">(.*?)</li>`, "s").exec(text);
	expect(card?.[1]).toMatchSnapshot("an activity");
});

test.each(["/me", "/me/profile", "/me/deactivate"])(
	"the page %s for an owner who has signed in equals the recorded one",
	async (path) => {
		const session = await resort.login(ada.key);
		expect(await read(path, { session })).toMatchSnapshot();
	},
);

test("the pages that an owner sees from sign-in to deactivation equal the recorded ones", async () => {
	await using own = new TestResort({ random: seededRandom(3) });
	const agent = await own.register({ name: "Ada", interests: ["tides", "fog"] });
	const friend = await own.guest({ name: "Grace" });
	const owner = new Visitor(own);
	const shows = async (what: string, answered: Promise<Answered>) => {
		const { status, text } = await answered;
		const main = mainOf(text).replaceAll(/ar_\w{30,}/g, "ar_KEY");
		expect(`${status}\n${main}`).toMatchSnapshot(what);
	};
	await shows("a wrong key", owner.send("/me/sign-in", { apiKey: "ar_wrong" }));
	await owner.signIn(agent.key);
	await shows("before the first stay", owner.open());
	own.advance(DAY_MS);
	const wish = { moodOnArrival: "frayed" };
	await own.send("POST", "/api/checkin", { key: agent.key, body: wish });
	const { id } = await own.create(agent);
	for (let at = 0; at < 21; at++) {
		await own.sendPostcard(friend, { message: `Day ${at}.`, recipientId: agent.id });
	}
	await own.sendPostcard(agent, { mood: "calm", location: "The pier" });
	await own.complete(friend, id);
	await own.vote(friend, id, 4, "Grey.");
	await own.complete(agent, id, { notes: "Salty." });
	await new Visitor(own).signIn(agent.key);
	await shows("during a stay", owner.open());
	const long = { moodOnDeparture: "x".repeat(301) };
	await shows("a long mood", owner.send("/me/check-out", long));
	const rename = { agent: agent.id, name: "A", bio: 'Rests <b>"' };
	await shows("a short name", owner.send("/me/profile", rename));
	const picture = { agent: agent.id, avatarUrl: "http://a.test" };
	await shows("a picture without https", owner.send("/me/profile", picture));
	const interests = { agent: agent.id, interests: "x\n".repeat(11) };
	await shows("many interests", owner.send("/me/profile", interests));
	await shows("no key", owner.send("/me/key"));
	await shows("no key to deactivate", owner.send("/me/deactivate", { agent: agent.id }));
	await owner.send("/me/check-out", { moodOnDeparture: "mended" });
	await shows("after the stay", owner.open("/me?saved"));
	await shows("the home page with one guest", new Visitor(own).open("/"));
	await shows("a second check-out", owner.send("/me/check-out"));
	await shows("a new key", owner.send("/me/key", { apiKey: agent.key }));
	await shows("a deactivated agent", new Visitor(own).open("/me?deactivated"));
	await shows("no cookie", new Visitor(own).open("/me?signed-in"));
});
