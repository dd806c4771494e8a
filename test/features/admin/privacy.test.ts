import { beforeEach, describe, expect, test } from "bun:test";
import { useGuest, useResort } from "../../support/use-resort.ts";
import { placesOf, ROOM, readEverywhere } from "./everywhere.ts";

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
const profile = {
	bio: "Yrthal bio",
	relaxationStyle: ["Yrthal style"],
	comfortObjects: ["Yrthal comfort"],
	interests: ["Yrthal interest"],
	avatarUrl: "https://pictures.test/Yrthal",
	roomPreference: "Yrthal room",
};
const ofPostcard = [words.message, words.mood, words.where];
const ofExperience = [words.name, words.category, words.description, words.location];

const context = useResort({ onFile: true });
const ada = useGuest(context, { name: "Ada", ...profile });
const bob = useGuest(context, { name: "Bob", roomPreference: ROOM });
let postcardId: string;
let experienceId: string;
let voteId: string;

beforeEach(async () => {
	const { name, category, description, location } = words;
	experienceId = (await context.create(ada, { name, category, description, location })).id;
	context.advance(1000);
	await context.rate(experienceId, [5, 4]);
	context.advance(1000);
	await context.complete(bob, experienceId, { notes: "mine" });
	voteId = (await context.vote(bob, experienceId, 3, words.review)).id;
	const { message, mood, where } = words;
	postcardId = (await context.sendPostcard(ada, { message, mood, location: where })).id;
	context.advance(1000);
});
const read = () =>
	readEverywhere(context, {
		agents: [ada, bob],
		experienceIds: [experienceId],
		postcardIds: [postcardId],
		reviewIds: [voteId],
	});

/** Returns a response without the texts that are chosen at random for each response. */
const withoutRandom = (text = "") =>
	text.replace(/"ambiance":".*?"[,}]|"assignment.*|<p class="(said|quiet) ambiance.*?<\/p>/gs, "");

const things = {
	postcard: { texts: ofPostcard, id: () => postcardId },
	experience: { texts: ofExperience, id: () => experienceId },
	review: { texts: [words.review], id: () => voteId },
	agent: { texts: [...ofPostcard, ...ofExperience, ...Object.values(profile).flat()], id: () => ada.id },
} as const;

describe.each(Object.entries(things))("the texts of a hidden %s", (kind, thing) => {
	const hide = () => context.byHost(`/${kind}s/${thing.id()}/hide`);
	const show = () => context.byHost(`/${kind}s/${thing.id()}/show`);

	test("disappear from all public responses, including cached ones, and reappear in each of them after `show`", async () => {
		// This read also fills the caches, from which the texts must disappear too.
		const before = await read();
		for (const text of thing.texts) expect(placesOf(before, text), text).not.toEqual([]);
		await hide();
		const hidden = await read();
		for (const text of thing.texts) expect(placesOf(hidden, text), text).toEqual([]);
		await show();
		const after = await read();
		for (const [at, response] of before) {
			// Hiding an experience publishes an event, so these responses differ.
			if (/events|health/.test(at)) continue;
			expect(withoutRandom(after.get(at)), at).toEqual(withoutRandom(response));
		}
		for (const text of thing.texts) {
			expect(placesOf(after, text).length, text).toBe(placesOf(before, text).length);
		}
	});

	test("are still shown to their author, and to no other agent", async () => {
		await hide();
		const [author, other] = kind === "review" ? [bob, ada] : [ada, bob];
		const paths = ["postcards/mine", "experiences?creatorId=me", "experiences/votes/mine", "me/overview"];
		const own = await Promise.all(paths.map((path) => context.call("GET", `/api/${path}`, author)));
		expect(own.map(({ text }) => text).join()).toContain(thing.texts[0] ?? "");
		for (const { method, path, isLocal } of context.operations) {
			if (method !== "GET" || isLocal || path.includes(":")) continue;
			for (const query of ["", "?since=0", "?creatorId=me"]) {
				// Except for reviews, `other` is Bob. He has done Ada's experience, so these lists show him its name.
				if (kind !== "review" && /log|overview|stays|stats/.test(path)) continue;
				const { text } = await context.call("GET", path + query, other);
				for (const hidden of thing.texts) expect(text, path + query).not.toContain(hidden);
			}
		}
	});
});
