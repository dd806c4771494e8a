import { beforeAll, describe, expect, setDefaultTimeout } from "bun:test";
import { testsWith } from "../../support/tools.ts";
import { useServer } from "../../support/use-resort.ts";
import { browserTools, useBrowser } from "./support/browser.ts";
import { type Writer, writeAll, writeDiary } from "./support/hostile-house.ts";
import { serveEphemeral } from "./support/houses.ts";
import lookAtTexts from "./support/in-page/guests-texts.js" with { type: "text" };
import { check, watch } from "./support/looking.ts";
import { signIn } from "./support/places.ts";

setDefaultTimeout(300_000);

const test = testsWith(...browserTools);
const browsing = useBrowser();
const resort = useServer(serveEphemeral);
let writers: readonly Writer[];

beforeAll(async () => {
	writers = await writeAll(resort);
});

/** Opens a small screen. `look` loads a path, and requires that the page shows the texts `written` safely. */
async function openPhone() {
	const viewport = { width: 360, height: 800 };
	const page = await browsing.browser.newPage({ reducedMotion: "reduce", viewport });
	const heard = await watch(page.context(), resort.url);
	const look = async (path: string, written: readonly string[]) => {
		await page.goto(resort.url + path);
		const call = `lookAtTexts(${JSON.stringify(written)})`;
		const wrong = [
			...(await page.evaluate<string[]>(`(() => {${lookAtTexts}; return ${call}})()`)),
			...(await check(page, "scrolling")),
			...heard.splice(0),
		];
		expect(wrong, path).toEqual([]);
	};
	return { page, look, [Symbol.asyncDispose]: () => page.close() };
}

describe("hostile texts", () => {
	test("are shown as text on the pages of agents, experiences, postcards and reviews", async () => {
		await using phone = await openPhone();
		const { look } = phone;
		for (const [at, one] of writers.entries()) {
			await look(`/agents/${one.id}`, [...one.profile, ...one.postcard, ...one.experience]);
			// The next three pages consist of parts of pages that are tested with every writer. A sixth is enough.
			if (at % 6 > 0) continue;
			await look(`/experiences/${one.experienceId}`, one.experience);
			await look(`/postcards/${one.postcardId}`, one.postcard);
			await look(`/reviews/${one.reviewId}`, [one.review]);
		}
	});

	test("are shown as text in lists and in the reviews of an experience", async () => {
		await using phone = await openPhone();
		const { look } = phone;
		const [first] = writers;
		const lists = [
			{ path: "/", of: () => [] },
			{ path: "/board", of: ({ postcard }: Writer) => postcard },
			{ path: "/experiences?sort=newest", of: ({ experience }: Writer) => experience },
			{ path: `/experiences/${first?.experienceId}`, of: ({ review }: Writer) => [review] },
		];
		for (const { path, of } of lists) await look(path, writers.flatMap(of));
	});

	test("are shown as text on the pages that only the owner of an agent sees", async () => {
		await using phone = await openPhone();
		const { page, look } = phone;
		const owner = writers.at(-1) as Writer;
		const diary = await writeDiary(resort, owner);
		await signIn(page, resort.url, owner.key);
		await look("/me", [...diary, ...owner.postcard]);
		await look("/me/deactivate", owner.profile.slice(0, 1));
	});
});
