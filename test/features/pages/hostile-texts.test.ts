import { beforeAll, describe, expect, setDefaultTimeout } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { testsWith } from "../../support/tools.ts";
import { useServer } from "../../support/use-resort.ts";
import { browserTools, useBrowser } from "./support/browser.ts";
import { type Writer, write, writeAll, writeDiary } from "./support/hostile-house.ts";
import { KINDS, TEXTS, towering } from "./support/hostile-texts.ts";
import { serveSources } from "./support/houses.ts";
import lookAtTexts from "./support/in-page/guests-texts.js" with { type: "text" };
import { check, watch } from "./support/looking.ts";
import { signIn } from "./support/places.ts";

setDefaultTimeout(300_000);

/** The number of writers whose own pages are tested: by default one of each kind of text, at most 60. */
const LOOKED_AT = Number(process.env.HOSTILE_PAGES ?? KINDS);

/** The number of owners whose page /me is tested, and of the stays of each. */
const OWNERS = 2;
const STAYS = 20;

const ON_A_PAGE = 30;

const test = testsWith(...browserTools);
const browsing = useBrowser();
const resort = useServer(serveSources);
let writers: readonly Writer[];

beforeAll(async () => {
	writers = await writeAll(resort.url);
});

/** Opens a page on a small screen. `look` loads a path, and adds the faults on its page to `wrong`. */
async function openPhone() {
	const context = await browsing.browser.newContext({
		reducedMotion: "reduce",
		viewport: { width: 360, height: 800 },
	});
	const heard = await watch(context, resort.url);
	const page = await context.newPage();
	const wrong: string[] = [];
	const look = async (path: string, written: readonly string[]) => {
		await page.goto(resort.url + path);
		const lines = [
			...(await page.evaluate<string[]>(
				`(() => {${lookAtTexts}; return lookAtTexts(${JSON.stringify(written)})})()`,
			)),
			...(await check(page, "scrolling")),
			...heard.splice(0),
		];
		wrong.push(...lines.map((line) => `${path}: ${line}`));
	};
	return {
		page: page as Page,
		look,
		wrong,
		expectNothingWrong: () => expect(wrong.slice(0, 20)).toEqual([]),
		[Symbol.asyncDispose]: () => context.close(),
	};
}

/** The page numbers of a list that contains the texts of all writers. */
const numbers = Array.from({ length: Math.ceil(TEXTS / ON_A_PAGE) }, (_, at) => at + 1);

const some = () => writers.slice(0, LOOKED_AT);

describe("hostile texts are shown as text", () => {
	test("on the pages of agents, experiences and postcards", async () => {
		// Pages of experiences and postcards have the same parts, so every sixth one is tested.
		const pages = some().flatMap((one, at): (readonly [string, readonly string[]])[] => [
			[`/agents/${one.id}`, [...one.profile, ...one.postcard, ...one.experience]],
			...(at % 6 === 0
				? ([
						[`/experiences/${one.experienceId}`, one.experience],
						[`/postcards/${one.postcardId}`, one.postcard],
					] as const)
				: []),
		]);
		await using phone = await openPhone();
		const { page, look } = phone;
		for (const [path, written] of pages) {
			await look(path, written);
		}
		await page.goto(`${resort.url}/experiences/${some()[0]?.experienceId}`);
		const reviews = await page.evaluate<string[]>(
			"[...document.querySelectorAll('a[href^=\"/reviews/\"]')].map((link) => link.pathname)",
		);
		for (const path of reviews) await look(path, []);
		phone.expectNothingWrong();
	});

	test("in lists, and in the reviews of an experience", async () => {
		const rated = `/experiences/${writers[0]?.experienceId}`;
		const lists = [
			{ path: "/board?page=", of: (one: Writer) => one.postcard },
			{ path: "/experiences?sort=newest&page=", of: (one: Writer) => one.experience },
			{ path: `${rated}?page=`, of: (one: Writer) => [one.review] },
		];
		await using phone = await openPhone();
		const { page, look, wrong } = phone;
		await look("/", []);
		for (const { path, of } of lists) {
			const shown = new Set<string>();
			for (const number of numbers) {
				await look(path + number, []);
				for (const text of await textsOf(page)) shown.add(text);
			}
			const written = writers.slice(1).flatMap(of);
			wrong.push(
				...written
					.filter((text) => !shown.has(text.replace(/\r\n?/g, "\n")))
					.map((text) => `${path} lacks ${JSON.stringify(text)}`),
			);
		}
		phone.expectNothingWrong();
	});

	test("on the pages of owners", async () => {
		await using phone = await openPhone();
		const { page, look } = phone;
		const owners = writers.slice(-OWNERS);
		for (const [at, owner] of owners.entries()) {
			const diary = await writeDiary(resort.url, owner, at * STAYS);
			await signIn(page, resort.url, owner.key);
			await look("/me", [...diary, ...owner.postcard]);
			const [name = ""] = owner.profile;
			await look("/me/deactivate", [name]);
			await page.context().clearCookies();
		}
		phone.expectNothingWrong();
	});
});

async function textsOf(page: Page): Promise<string[]> {
	return page.evaluate("[...document.querySelectorAll('.said, .name')].map((one) => one.textContent)");
}

/** The strips above and below an element that are compared begin and end at these distances, in pixels. */
const BESIDE = 10;
const FAR = 150;

const HOLDERS = "main .card, main .who, main .facts, main .best > li, main h1";

async function around(page: Page, holder: Locator): Promise<string[]> {
	const box = await holder.boundingBox();
	if (box === null) throw new Error("not shown");
	const { x, width } = box;
	const height = FAR - BESIDE;
	const top = Math.max(0, box.y - FAR);
	const strips = [
		{ x, width, y: top, height: Math.max(1, box.y - BESIDE - top) },
		{ x, width, y: box.y + box.height + BESIDE, height },
	];
	const pictures: string[] = [];
	for (const clip of strips) {
		const picture = await page.screenshot({ clip, fullPage: true });
		pictures.push(picture.toString("base64"));
	}
	return pictures;
}

/** The properties of an element that the test uses. The project has no types for the DOM. */
interface Shown {
	readonly style: object;
	querySelectorAll(selector: string): Iterable<Shown>;
}

/** Shows or hides the guests' texts in an element, without changing the layout. */
async function show(holder: Locator, visibility: string): Promise<void> {
	await holder.evaluate((one: Shown, value: string) => {
		for (const text of one.querySelectorAll(".said, .name")) {
			Object.assign(text.style, { visibility: value });
		}
	}, visibility);
}

test("hundreds of combining marks on a letter do not cover the surroundings of their element", async () => {
	await using house = await serveSources();
	const { id, experienceId } = await write(house.url, towering);
	const page = await browsing.browser.newPage({ reducedMotion: "reduce", javaScriptEnabled: false });
	for (const path of ["/", `/agents/${id}`, `/experiences/${experienceId}`]) {
		await page.goto(house.url + path);
		for (const holder of await page.locator(HOLDERS).all()) {
			const before = await around(page, holder);
			await show(holder, "hidden");
			const isSame = Bun.deepEquals(await around(page, holder), before);
			expect([path, isSame]).toEqual([path, true]);
			await show(holder, "visible");
		}
	}
	await page.close();
});
