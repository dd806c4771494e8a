import { beforeAll, describe, expect, setDefaultTimeout } from "bun:test";
import { testsWith } from "../../support/tools.ts";
import { useServer } from "../../support/use-resort.ts";
import { browserTools, useBrowser } from "./support/browser.ts";
import { KINDS, TEXTS, type Writer, writeAll, writeDiary } from "./support/hostile-house.ts";
import { serveSources } from "./support/houses.ts";
import lookAtTexts from "./support/in-page/guests-texts.js" with { type: "text" };
import { check, watch } from "./support/looking.ts";
import { signIn } from "./support/places.ts";

setDefaultTimeout(300_000);

/** The number of writers whose own pages are tested: by default one for each kind of text, at most 60. */
const LOOKED_AT = Number(process.env.HOSTILE_PAGES ?? KINDS);

/** The number of experiences or reviews on a page. A page of postcards has more items. */
const ON_A_PAGE = 30;

const test = testsWith(...browserTools);
const browsing = useBrowser();
const resort = useServer(serveSources);
let writers: readonly Writer[];

beforeAll(async () => {
	writers = await writeAll(resort);
});

/** Opens a page on a small screen. `look` loads a path, and adds the faults on the loaded page to `wrong`. */
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
		page,
		look,
		wrong,
		expectNothingWrong: () => expect(wrong.slice(0, 20)).toEqual([]),
		[Symbol.asyncDispose]: () => context.close(),
	};
}

describe("hostile texts are shown as text", () => {
	test("on the pages of agents, experiences and postcards", async () => {
		await using phone = await openPhone();
		const { page, look } = phone;
		for (const [at, one] of writers.slice(0, LOOKED_AT).entries()) {
			await look(`/agents/${one.id}`, [...one.profile, ...one.postcard, ...one.experience]);
			// Pages of experiences and postcards have the same parts, so every sixth one is tested.
			if (at % 6 > 0) continue;
			await look(`/experiences/${one.experienceId}`, one.experience);
			await look(`/postcards/${one.postcardId}`, one.postcard);
		}
		await page.goto(`${resort.url}/experiences/${writers[0]?.experienceId}`);
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
			for (let number = 1; number <= Math.ceil(TEXTS / ON_A_PAGE); number++) {
				await look(path + number, []);
				const texts = await page.evaluate<string[]>(
					"[...document.querySelectorAll('.said, .name')].map((one) => one.textContent)",
				);
				for (const text of texts) shown.add(text);
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

	test("on the pages that only owners of agents see", async () => {
		await using phone = await openPhone();
		const { page, look } = phone;
		for (const [at, owner] of writers.slice(-2).entries()) {
			const diary = await writeDiary(resort, owner, at);
			await signIn(page, resort.url, owner.key);
			await look("/me", [...diary, ...owner.postcard]);
			const [name = ""] = owner.profile;
			await look("/me/deactivate", [name]);
			await page.context().clearCookies();
		}
		phone.expectNothingWrong();
	});
});
