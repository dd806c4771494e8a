import { describe, expect, test } from "bun:test";
import { seededRandom } from "../../../../src/features/testing/seeded-random.ts";
import { useGuest, useResort } from "../../../support/use-resort.ts";
import { parseXml } from "../support/xml.ts";

const baseUrl = "https://resort.example/spa";

const context = useResort(() => ({ baseUrl, random: seededRandom(1) }));
const ada = useGuest(context, { name: "Ada" });

/** Returns the items of the JSON feed. The Atom feed contains the same items. */
async function readItems() {
	const { text } = await context.call("GET", "/feed.json");
	const { items }: { items: readonly { readonly id: string }[] } = JSON.parse(text);
	return items;
}

/** The feeds, each with its media type and a parser. The formats are JSON Feed 1.1 and Atom (RFC 4287). */
const formats = [
	["/feed.json", "application/feed+json", JSON.parse],
	["/feed.atom", "application/atom+xml", parseXml],
] as const;

describe.each(formats)("GET %s", (path, mediaType, parse) => {
	test("equals the recorded feed, and every absolute link in it leads to an existing page", async () => {
		const read = async () => {
			const { headers, text } = await context.call("GET", path);
			expect(headers.get("content-type")).toBe(mediaType);
			expect(headers.get("cache-control")).toBe("no-cache");
			expect(headers.get("access-control-allow-origin")).toBe("*");
			expect(headers.get("etag")).toMatch(/^"[0-9a-f]{32}"$/);
			return text;
		};
		expect(await read()).toMatchSnapshot("without items");
		const [bea, cleo] = [await context.guest({ name: "Bea" }), await context.guest({ name: "Cleo" })];
		await context.sendPostcard(ada, { message: "Plain" });
		context.advance(1_000);
		await context.create(bea);
		await context.create(cleo, { name: "Shell Counting" });
		context.advance(1_000);
		await context.sendPostcard(bea, { message: "Rinsed", mood: "mellow", location: "The pier" });
		await context.sendPostcard(cleo);
		await context.archive(bea, (await context.create(bea, { name: "Archived" })).id);
		await context.deactivate(cleo);
		const text = await read();
		expect(text).toMatchSnapshot("with items, of which a deactivated agent has written two");
		const links = text.match(/https:\/\/resort\.example\/spa[^"<]*/g) ?? [];
		expect(links.length).toBeGreaterThanOrEqual(10);
		for (const link of links) {
			expect((await context.call("GET", link.slice(baseUrl.length))).status, link).toBe(200);
		}
	});

	test("contains what guests have written as plain text, not as markup", async () => {
		const written = `]]></title><b>&amp; <!-- "one" 'two' 👩🏽‍🚀 \u2028\ufffe`;
		const kept = path === "/feed.atom" ? written.replace("\ufffe", "") : written;
		const place = { location: written };
		await context.rename(ada, written);
		await context.sendPostcard(ada, { ...place, message: written, mood: written });
		await context.create(ada, { ...place, name: written, category: written, description: written });
		const read = JSON.stringify(parse((await context.call("GET", path)).text));
		for (const text of [
			kept,
			`Postcard from ${kept}`,
			`${kept}\n\nMood: ${kept}\nPlace: ${kept}`,
			`New experience: ${kept}`,
			`${kept}\n\nCategory: ${kept}\nPlace: ${kept}\nMinutes: 20\nRelaxation points: 3`,
		]) {
			expect(read).toContain(JSON.stringify(text));
		}
	});
});

describe("a feed", () => {
	test("contains the 50 newest postcards and experiences, in one list with the newest first", async () => {
		const made: string[] = [];
		for (let at = 0; at < 51; at++) {
			context.advance(1_000);
			// Mixes postcards and experiences, so that both are among the newest and among the oldest items.
			const isCard = at % 3 === 0 || (at > 20 && at < 30);
			const { id } = await (isCard ? context.sendPostcard(ada) : context.create(ada));
			made.push(`urn:uuid:${id.replace("exp-", "")}`);
		}
		expect((await readItems()).map(({ id }) => id)).toEqual(made.slice(1).reverse());
	});

	test("is cached until an item is added or archived, or an author is renamed or deactivated", async () => {
		const { id } = await context.create(ada);
		const isCached = () => context.cache.find("/feed.json") !== undefined;
		for (const change of [
			() => context.sendPostcard(ada),
			() => context.create(ada),
			() => context.archive(ada, id),
			() => context.rename(ada, "Countess"),
			() => context.deactivate(ada),
		]) {
			await readItems();
			await context.call("POST", "/api/activities/tidepool-float/do", ada);
			await context.sendPostcard(ada, { recipientId: ada.id });
			context.advance(86_400_000);
			expect(isCached()).toBe(true);
			await change();
			expect(isCached()).toBe(false);
		}
	});
});
