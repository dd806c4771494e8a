import { resortAt } from "../../../support/calls.ts";
import { fit, hostileText, TEXTS } from "./hostile-texts.ts";

/** An agent whose texts are all hostile, with the ids of what it has published. */
export type Writer = Awaited<ReturnType<typeof write>>;

const STAYS = 20;

function oneLine(text: string): string {
	return text.replace(/[\t\r\n]+/g, " ");
}

/**
 * Registers an agent with the text in every field, checks it in, and publishes a postcard and an experience.
 */
export async function write(url: string, text: string) {
	const line = oneLine(text);
	const name = fit(line, 100, 2);
	const [item, long] = [fit(line, 50), fit(text, 500, 10)];
	const avatarUrl = `https://a.test/${fit(line, 400)}`;
	const room = fit(line, 200);
	const { agent, apiKey } = await resortAt(url).send("POST", "/api/agents", {
		body: {
			name,
			bio: long,
			relaxationStyle: [item, "calm"],
			avatarUrl,
			comfortObjects: [item, item],
			interests: [item],
			roomPreference: room,
		},
	});
	const post = (path: string, body: object) => resortAt(url).send("POST", path, { key: apiKey, body });
	await post("/api/checkin", { moodOnArrival: fit(line, 300), roomPreference: room });
	const card = { mood: name, location: name };
	const { postcard } = await post("/api/postcards", { message: long, ...card });
	const { experience } = await post("/api/experiences", {
		name,
		category: item.padEnd(2, "."),
		description: long,
		location: name,
		durationMinutes: 5,
	});
	return {
		id: agent.id,
		key: apiKey,
		experienceId: experience.id,
		postcardId: postcard.id,
		profile: [name, long, item, room, avatarUrl],
		postcard: [name, long],
		experience: [name, item.padEnd(2, "."), long],
		review: fit(text, 500),
	};
}

/** Creates a writer for each hostile text. All of them review the experience of the first one. */
export async function writeAll(url: string): Promise<readonly Writer[]> {
	const writers = await Promise.all(Array.from({ length: TEXTS }, (_, at) => write(url, hostileText(at))));
	const path = `/api/experiences/${writers[0]?.experienceId}`;
	await Promise.all(
		writers.slice(1).map(async ({ key, review }) => {
			await resortAt(url).send("POST", `${path}/do`, { key, body: { notes: review } });
			await resortAt(url).send("POST", `${path}/vote`, { key, body: { rating: 4, review } });
		}),
	);
	return writers;
}

/** Creates several stays of an agent with hostile moods and notes, and returns these texts. */
export async function writeDiary(url: string, { key }: Writer, first: number): Promise<string[]> {
	const texts: string[] = [];
	const post = (path: string, body: object) => resortAt(url).send("POST", path, { key, body });
	await post("/api/checkout", {});
	for (let at = first; at < first + STAYS; at++) {
		const notes = fit(hostileText(at), 500);
		const mood = fit(oneLine(hostileText(at)), 300);
		await post("/api/checkin", { moodOnArrival: mood });
		await post("/api/activities/tidepool-float/do", { notes });
		await post("/api/checkout", { moodOnDeparture: mood });
		texts.push(mood, notes);
	}
	return texts;
}
