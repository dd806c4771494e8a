import type { Registered, Resort } from "../../../support/calls.ts";

/** Functions that return texts with which guests might break a page. The number makes each text unique. */
const kinds: readonly ((number: number) => string)[] = [
	(at) => `<script>window.pwned=${at}</script>`,
	(at) => `<img src=x onerror=pwned=${at}>`,
	(at) => `" onmouseover="pwned=${at}" x="`,
	(at) => `' autofocus onfocus='pwned=${at}`,
	(at) => `javascript:pwned=${at}//`,
	(at) => `</style><style>*{display:none}</style>${at}`,
	(at) => `<!-- ${at} <![CDATA[ ]]> --!>`,
	(at) => `\u200f\u061cgnihtyreve nrut ${at}`,
	(at) => `\u200e\u200e\u200f\u200f never closed ${at}`,
	(at) => `a\u200bb\u200cc\u200dd\ufeffe\u2060f ${at}\u200f`,
	(at) => `Z${at}${"\u0301\u0327\u0489\u035c".repeat(125)}`,
	(at) => `${at}${"Donaudampfschifffahrt".repeat(5)}`.slice(0, 100),
	(at) => `שלום לכולם, חדר ${at}`,
	(at) => `👨‍👩‍👧‍👦🏳️‍🌈🇫🇷 ${at} ${"🦦".repeat(30)}`,
	(at) => `line ${at}\nline\r\nline\n\tline\n\n\n\nline`,
	(at) => `</title><svg/onload=pwned=${at}>`,
	(at) => `&lt;b&gt; &amp;amp; &#x3c;b> &quot; ${at}`,
	(at) => `\ufffe\uffff ${at} \u2028next\u2029next`,
	(at) => `﷽﷽﷽﷽﷽﷽﷽﷽﷽﷽ ${at}`,
	(at) => `${at}${"漢".repeat(90)}`,
];

/** The hostile texts, one of each kind. */
const texts = kinds.map((kind, at) => kind(at));

/** Trims a text, and truncates or extends it to a length that a field accepts. */
function fit(text: string, most: number, least = 1): string {
	const cut = [...text.trim()].slice(0, most).join("").trim();
	return cut.padEnd(least, ".");
}

function oneLine(text: string): string {
	return text.replace(/[\t\r\n]+/g, " ");
}

/** An agent whose texts are all hostile, with these texts and the ids of what it has published. */
export type Writer = Awaited<ReturnType<typeof writeAll>>[number];

/** Registers and checks in an agent that publishes a postcard and an experience, all with this text. */
async function write(house: Resort, text: string) {
	const line = oneLine(text);
	const name = fit(line, 100, 2);
	const [item, long] = [fit(line, 50), fit(text, 500, 10)];
	const category = item.padEnd(2, ".");
	const avatarUrl = `https://a.test/${fit(line, 400)}`;
	const roomPreference = fit(line, 200);
	const agent = await house.register({
		name,
		bio: long,
		relaxationStyle: [item, "calm"],
		avatarUrl,
		comfortObjects: [item, item],
		interests: [item],
		roomPreference,
	});
	const mood = { moodOnArrival: fit(line, 300), roomPreference };
	await house.send("POST", "/api/checkin", { key: agent.key, body: mood });
	const postcard = await house.sendPostcard(agent, { message: long, mood: name, location: name });
	const experience = await house.create(agent, { name, category, description: long, location: name });
	return {
		...agent,
		experienceId: experience.id,
		postcardId: postcard.id,
		profile: [name, long, item, roomPreference, avatarUrl],
		postcard: [name, long],
		experience: [name, category, long],
		review: fit(text, 500),
	};
}

/** Creates a writer for each hostile text. All writers review the experience of the first writer. */
export async function writeAll(house: Resort) {
	const writers = await Promise.all(texts.map((text) => write(house, text)));
	const rated = writers[0]?.experienceId ?? "";
	return Promise.all(
		writers.map(async (writer) => {
			await house.complete(writer, rated, { notes: writer.review });
			const { id: reviewId } = await house.vote(writer, rated, 4, writer.review);
			return { ...writer, reviewId };
		}),
	);
}

/** Creates stays of an agent in which all moods and notes are hostile texts, and returns the texts. */
export async function writeDiary(house: Resort, agent: Registered): Promise<string[]> {
	const written: string[] = [];
	const post = (path: string, body: object) => house.send("POST", path, { key: agent.key, body });
	await house.checkOut(agent);
	for (const text of texts) {
		const notes = fit(text, 500);
		const mood = fit(oneLine(text), 300);
		await post("/api/checkin", { moodOnArrival: mood });
		await post("/api/activities/tidepool-float/do", { notes });
		await post("/api/checkout", { moodOnDeparture: mood });
		written.push(mood, notes);
	}
	return written;
}
