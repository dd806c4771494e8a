import { describe, expect, test } from "bun:test";
import { shorten } from "../../../src/features/pages/pages/home-page.ts";
import { seededRandom } from "../../../src/features/testing/seeded-random.ts";
import { expectWithinBudget } from "../../support/budgets.ts";
import { TestResort } from "../../support/resort.ts";
import { useResort } from "../../support/use-resort.ts";
import { BROWSER } from "./support/visitor.ts";

const GUESTS = 60;
const POSTCARDS = 12;

/** The number of experiences that the home page lists as the best ones, and the ratings that each gets. */
const RANKED = 5;
const RATINGS = [5, 4, 5];

const fromTo = (first: number, last: number) =>
	Array.from({ length: last - first + 1 }, (_, at) => String.fromCodePoint(first + at));

/** The characters of random texts, which can hardly be compressed. */
const alphabets = { CJK: fromTo(0x4e00, 0x9fff), ASCII: fromTo(0x21, 0x7e) };

describe.each(Object.entries(alphabets))("a full home page with random texts in %s", (name, letters) => {
	test("is within its size budget when compressed with gzip", async () => {
		await using resort = new TestResort();
		const draw = seededRandom(1).below;
		const text = (length: number) => Array.from({ length }, () => letters[draw(letters.length)]).join("");
		const experience = () => ({
			name: text(100),
			category: text(50),
			location: text(100),
			description: text(500),
			durationMinutes: 30,
		});
		const first = await resort.guest({ name: text(100) });
		for (let at = 0; at < RANKED; at++) {
			await resort.rated(first, RATINGS, experience());
		}
		for (let at = 0; at < GUESTS; at++) {
			const guest = await resort.guest({ name: text(100) });
			resort.advance(1);
			const { id } = await resort.create(guest, experience());
			await resort.complete(guest, id);
			if (at < GUESTS - POSTCARDS) continue;
			await resort.sendPostcard(guest, { message: text(500), mood: text(100), location: text(100) });
		}
		const home = await shownOf(resort)();
		const count = (mark: string) => home.split(mark).length - 1;
		expect(count('<li class="card guest in"')).toBe(50);
		expect(count('<li class="card postcard"')).toBe(POSTCARDS);
		expect(count('<li class="card pictured" id="exp-')).toBe(RANKED);
		expect(count(">resting")).toBe(0);
		expect(count("The best experiences")).toBe(1);
		const headers = { accept: BROWSER, "accept-encoding": "gzip" };
		const response = await resort.fetch(new Request("http://resort.test/", { headers }));
		expect(response.headers.get("content-encoding")).toBe("gzip");
		const { length } = await response.bytes();
		expectWithinBudget("a full home page with gzip", length, name);
	}, 60_000);
});

const shownOf =
	(resort: TestResort) =>
	async (path = "/") =>
		(await resort.call("GET", path, { headers: { accept: BROWSER } })).text;

/** Returns a text of this number of bytes. */
const ascii = (bytes: number) => "a".repeat(bytes);

/** Returns how a page shows an ASCII text that it shortens to this number of bytes. `…` has 3 bytes. */
const cut = (bytes: number) => `>${ascii(bytes - 3)}…<`;

describe("the home page", () => {
	const resort = useResort();
	const shown = shownOf(resort);

	test.each([
		["message", 220],
		["mood", 60],
		["location", 60],
	])("shortens the %s of a postcard to %i bytes, but /board shows the whole text", async (field, most) => {
		const ada = await resort.guest({ name: ascii(100) });
		for (const bytes of [most - 1, most]) await resort.sendPostcard(ada, { [field]: ascii(bytes) });
		const home = await shown();
		for (const bytes of [100, most - 1, most]) expect(home).toContain(`>${ascii(bytes)}<`);
		await resort.sendPostcard(ada, { [field]: ascii(most + 1) });
		expect(await shown()).toContain(cut(most));
		expect(await shown("/board")).toContain(`>${ascii(most + 1)}<`);
	});

	test("shortens the texts of an experience, but the page of the experience shows the whole texts", async () => {
		const maker = await resort.guest();
		const { id } = await resort.create(maker, {
			name: "永".repeat(100),
			description: ascii(221),
			category: "森".repeat(50),
			location: ascii(61),
		});
		await resort.complete(maker, id);
		const home = await shown();
		// The list of experiences and the newest event show 120 bytes of the name; the guest's card shows 60.
		// The characters 永 and … have 3 bytes each.
		expect(home.split(`>${"永".repeat(39)}…<`)).toHaveLength(3);
		expect(home.split(`>${"永".repeat(19)}…<`)).toHaveLength(2);
		expect(home).not.toContain("永".repeat(40));
		expect(home).toContain(cut(220));
		expect(home).toContain(`>${"森".repeat(19)}…<`);
		expect(home).toContain(cut(60));
		const whole = await shown(`/experiences/${id}`);
		for (const text of ["永".repeat(100), ascii(221), "森".repeat(50)]) {
			expect(whole).toContain(`>${text}<`);
		}
	});

	test("shortens the long name of a renamed agent everywhere, but other pages show the whole name", async () => {
		const ada = await resort.guest({ name: "Ada" });
		await resort.create(ada);
		await resort.sendPostcard(ada);
		expect(await shown()).toContain(">Ada<");
		await resort.rename(ada, "海".repeat(100));
		const home = await shown();
		// The name occurs four times (guest, writer, creator, newest event), so `split` returns five parts.
		expect(home.split(`>${"海".repeat(39)}…<`)).toHaveLength(5);
		expect(home).not.toContain("海".repeat(40));
		for (const path of ["/board", "/experiences", `/agents/${ada.id}`]) {
			expect(await shown(path), path).toContain(`>${"海".repeat(100)}<`);
		}
	});
});

test.each([
	["keeps a text of 20 bytes", "é".repeat(10), "é".repeat(10)],
	["cuts no character in half", "é".repeat(11), `${"é".repeat(8)}…`],
	["removes blanks before the ellipsis", "fourteen words    and more", "fourteen words…"],
	["keeps a byte order mark", `\ufeff${"a".repeat(18)}`, `\ufeff${"a".repeat(14)}…`],
])("with a limit of 20 bytes, shorten %s", (_, text, expected) => {
	expect(shorten(text, 20)).toBe(expected);
});
