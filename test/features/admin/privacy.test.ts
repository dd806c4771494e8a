import { beforeEach, describe, expect, test } from "bun:test";
import { placesOf, readEverywhere } from "../../support/everywhere.ts";
import { useCommunityOnFile, useGuest } from "../../support/use-resort.ts";

/** Words that occur nowhere else. */
const words = {
	message: "Zorbulax the postcard",
	mood: "zorbulaxic mood",
	where: "zorbulax shore",
	name: "Quvintor bath",
	category: "quvintoring",
	description: "Quvintor described at length.",
	location: "Quvintor cellar",
	review: "Wexomat review",
};
const ofPostcard = [words.message, words.mood, words.where];
const ofExperience = [words.name, words.category, words.description, words.location];

const context = useCommunityOnFile();
const ada = useGuest(context, { name: "Ada" });
const bob = useGuest(context, { name: "Bob" });
let postcardId: string;
let experienceId: string;
let voteId: string;

beforeEach(async () => {
	const { name, category, description, location } = words;
	const made = { name, category, description, location };
	experienceId = (await context.create(ada, made)).id;
	context.advance(1000);
	await context.rate(experienceId, [5, 4]);
	context.advance(1000);
	await context.complete(bob, experienceId, { notes: "mine" });
	voteId = (await context.vote(bob, experienceId, 3, words.review)).id;
	const { message, mood, where } = words;
	const card = { message, mood, location: where };
	postcardId = (await context.send(ada, card)).id;
	context.advance(1000);
});
const read = () =>
	readEverywhere(context, {
		agents: [ada, bob],
		experienceIds: [experienceId],
	});

/** An answer without what is drawn anew each time. */
const steady = (told = "") =>
	told.replace(/"ambiance":".*?"[,}]|"assignment.*|<p class="(said|quiet) ambiance.*?<\/p>/gs, "");

const things = {
	postcard: { texts: ofPostcard, id: () => postcardId },
	experience: { texts: ofExperience, id: () => experienceId },
	review: { texts: [words.review], id: () => voteId },
	agent: { texts: [...ofPostcard, ...ofExperience], id: () => ada.id },
} as const;

describe.each(Object.entries(things))("a %s that is hidden", (kind, thing) => {
	const hide = () => context.byHost(`/${kind}s/${thing.id()}/hide`);
	const show = () => context.byHost(`/${kind}s/${thing.id()}/show`);

	test("is in no public response, not even a cached one", async () => {
		const before = await read();
		for (const text of thing.texts) {
			expect(placesOf(before, text), text).not.toEqual([]);
		}
		await read();
		await hide();
		const after = await read();
		for (const text of thing.texts) {
			expect(placesOf(after, text), text).toEqual([]);
		}
	});

	test("is back as it was when it is shown", async () => {
		const before = await read();
		await hide();
		await read();
		await show();
		const after = await read();
		for (const [at, told] of before) {
			// What was archived meanwhile has an event, so that cursors and validators differ.
			if (/events|health/.test(at)) continue;
			expect({ at, told: steady(after.get(at)) }).toEqual({
				at,
				told: steady(told),
			});
		}
		const texts = thing.texts.map((text) => placesOf(after, text).length);
		expect(texts).toEqual(thing.texts.map((text) => placesOf(before, text).length));
	});

	test("is still shown to its author", async () => {
		await hide();
		const author = kind === "review" ? bob : ada;
		const own = await Promise.all(
			[
				"/api/postcards/mine",
				"/api/experiences?creatorId=me",
				"/api/experiences/votes/mine",
				"/api/me/overview",
			].map((path) => context.ask("GET", path, { key: author.key })),
		);
		const told = own.map(({ text }) => text).join();
		expect(told).toContain(thing.texts[0] ?? "");
	});

	test("is shown to nobody else who has a key", async () => {
		await hide();
		const other = kind === "review" ? ada : bob;
		for (const { method, path, isLocal } of context.operations) {
			if (method !== "GET" || isLocal || path.includes(":")) continue;
			for (const query of ["", "?since=0", "?creatorId=me"]) {
				const { text } = await context.ask("GET", path + query, {
					key: other.key,
				});
				// What somebody has done stands in its own log.
				if (kind !== "review" && /log|overview|stays|stats/.test(path)) continue;
				for (const secret of thing.texts) {
					expect({ path: path + query, told: text.includes(secret) }).toEqual({
						path: path + query,
						told: false,
					});
				}
			}
		}
	});
});
