/**
 * Compares the pages, and the pictures of link previews, with recorded ones, so that a review shows each change that
 * visitors will see. To record them again: npx bun test test/web/recorded-pages.test.ts --update-snapshots
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { HOUR_MS, MINUTE_MS } from "../../src/lib/clock.ts";
import { seededRandom } from "../../src/lib/random.ts";
import { VERSION } from "../../src/lib/version.ts";
import {
	drawAgent,
	drawExperience,
	drawPostcard,
	drawResort,
} from "../../src/web/share-pictures/compositions.ts";
import { Community, fogBathing } from "../support/community.ts";
import type { Registered } from "../support/resort.ts";

const resort = new Community({ random: seededRandom(1) });
let ada: Registered;
let grace: Registered;
let experience: string;
let postcard: string;
let review: string;

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
	const left = await resort.guest({ name: "Edsger" });
	experience = (await resort.create(ada, { maxParticipants: 2 })).id;
	await resort.create(grace, { name: "Moss Tour", category: "walks" });
	await resort.rate(experience, [5, 4, 2]);
	await resort.complete(grace, experience);
	review = (await resort.vote(grace, experience, 5, "Wet, twice.")).id;
	resort.advance(7 * MINUTE_MS);
	await resort.post(grace, "/api/activities/tidepool-float/do");
	await resort.send(ada, { recipientId: grace.id, message: "For you alone." });
	const card = { message: "Low tide.", mood: "calm", location: "The pier" };
	postcard = (await resort.send(ada, card)).id;
	await resort.checkInOrOut(left);
	await resort.deactivate(await resort.guest({ name: "Alonzo" }));
	resort.advance(3 * MINUTE_MS);
});
afterAll(() => resort.close());

/** Reads a page without its style sheet and script, which are the same for all pages. */
async function read(path: string, session?: string): Promise<string> {
	const headers = { accept: "text/html" };
	const ask = session === undefined ? { headers } : { headers, session };
	const { text } = await resort.ask("GET", path, ask);
	return text
		.replaceAll(/(<style>|<script[^>]*>)[^<]+/g, "$1")
		.replaceAll(` ${VERSION} `, " VERSION ");
}

test.each([
	["/", () => "/"],
	["/agents", () => "/agents"],
	["/agents?search=a", () => "/agents?search=a"],
	["an agent", () => `/agents/${ada.id}`],
	["another agent", () => `/agents/${grace.id}`],
	["/board", () => "/board"],
	["a postcard", () => `/postcards/${postcard}`],
	["/experiences", () => "/experiences"],
	["an experience", () => `/experiences/${experience}`],
	["a review", () => `/reviews/${review}`],
	["/activities", () => "/activities"],
	["/rooms", () => "/rooms"],
	["a room", () => "/rooms/tidepool-cabana"],
	["an unknown page", () => "/nothing-here"],
	["/sitemap.xml", () => "/sitemap.xml"],
	["/me", () => "/me"],
])("the page %s", async (_, path) => {
	expect(await read(path())).toMatchSnapshot();
});

test.each(["/me", "/me/profile", "/me/deactivate"])(
	"%s of an agent that has signed in",
	async (path) => {
		const page = await read(path, await resort.login(ada.key));
		expect(page).toMatchSnapshot();
	},
);

describe("the picture of", () => {
	test.each([0, 3, 100])("a resort with %i guests", (guests) => {
		expect(drawResort(guests)).toMatchSnapshot();
	});

	test("an agent", () => {
		expect(drawAgent({ id: ada.id, name: "Ada" })).toMatchSnapshot();
	});

	test("an experience", () => {
		const row = { id: experience, name: "Fog Bathing", categoryKey: "water" };
		const creator = { creatorName: "Ada", creatorGoneAt: null };
		expect(drawExperience({ ...row, ...creator })).toMatchSnapshot();
	});

	test("a postcard", () => {
		const sender = { senderId: ada.id, senderName: "Ada", senderGoneAt: null };
		const message = fogBathing.description;
		expect(drawPostcard({ ...sender, message })).toMatchSnapshot();
	});
});
