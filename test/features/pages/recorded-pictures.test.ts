/**
 * Compares pictures and common parts of pages with recorded ones. To record them again:
 * npx bun test test/features/pages/recorded-pictures.test.ts --update-snapshots
 */
import { expect, test } from "bun:test";
import { activities } from "../../../src/content/activities.ts";
import { roomTypes } from "../../../src/content/rooms.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../src/core/lib/clock.ts";
import { failurePage } from "../../../src/features/pages/failure-page.ts";
import { counted, timeElement } from "../../../src/features/pages/fragments.ts";
import { writePage } from "../../../src/features/pages/html-page.ts";
import { pageLinks } from "../../../src/features/pages/pages/public-page.ts";
import { scene, skyAt, windowView } from "../../../src/features/pages/scenery.ts";
import { doingPicture, roomPicture } from "../../../src/features/pages/vignettes.ts";

/** Ids of agents. Pictures depend on the last 8 digits of an id. */
const ids = Array.from(
	{ length: 24 },
	(_, at) => `019b76da-a800-70a7-830f-${Bun.hash(String(at)).toString(16).padStart(16, "0").slice(-12)}`,
);

test("the colours of the sky in the header picture equal the recorded ones at every hour", () => {
	const skies = Array.from({ length: 24 }, (_, hour) => skyAt(Date.UTC(2026, 0, 1, hour, 59)));
	expect(skies).toMatchSnapshot();
});

test.each([0, 4, 5, 12, 20])("the header pictures at hour %i equal the recorded ones", (hour) => {
	const sky = skyAt(hour * HOUR_MS);
	expect(scene(sky).markup).toMatchSnapshot();
	for (const guests of [0, 1, 20]) {
		expect(scene(sky, guests).markup).toMatchSnapshot();
	}
});

test("the pictures of views from a window equal the recorded ones", () => {
	const views = [...ids, "exp-0123abcd", "Ada", ""].map((id) => windowView(id).markup);
	expect(views.join("\n")).toMatchSnapshot();
});

test("the pictures of experiences and rooms equal the recorded ones", () => {
	const doings = ids.map((id, at) => doingPicture(`exp-${id}`, activities[at]?.category ?? "walks"));
	const others = ["dark", "a night walk", "night"].flatMap((id) =>
		["walks", "spa", "toString"].map((category) => doingPicture(id, category)),
	);
	const rooms = roomTypes.map((type, at) => roomPicture(type, at % 2 === 0));
	const all = [...doings, ...others, ...rooms];
	expect(all.map(({ markup }) => markup).join("\n")).toMatchSnapshot();
});

test("the links between the last pages of a list equal the recorded ones", () => {
	const texts = ["Newer", "Older"] as const;
	for (const path of ["/board", "/agents?status=relaxing"]) {
		expect([599, 600].map((page) => pageLinks(path, page, true, texts))).toMatchSnapshot();
	}
});

test("times relative to the current time equal the recorded texts", () => {
	const nowMs = Date.UTC(2026, 0, 2, 3, 4);
	const times = [0, MINUTE_MS, 3 * HOUR_MS, 4 * HOUR_MS, 12 * HOUR_MS - 1, 12 * HOUR_MS, 300 * DAY_MS];
	for (const ms of times) {
		const before = timeElement(nowMs - ms, nowMs, "relative").markup;
		expect([before, timeElement(nowMs + ms, nowMs).markup]).toMatchSnapshot();
	}
});

test('numbers with nouns, such as "1,000 stays", equal the recorded texts', () => {
	expect([0, 1, 2, 999, 1_000, 1_001].map((count) => counted(count, "stay"))).toMatchSnapshot();
});

test.each([400, 403, 404, 413, 429, 500, 503])(
	"the page for a failure with status %i equals the recorded one",
	(status) => {
		const instance = { baseUrl: "https://resort.test", clock: () => 0 };
		const body = { error: "Not possible", hint: "Wait." };
		const page = writePage(instance, failurePage(status, body));
		expect(page.match(/<main.*<\/main>/s)?.[0]).toMatchSnapshot();
	},
);
