/** The head of every page with the path of a proxy, and of pages by another address than their own. */
import { beforeAll, expect, test } from "bun:test";
import { useSharedCommunity, useSharedGuest } from "../../support/use-resort.ts";
import { BROWSER } from "../../support/visitor.ts";

const BASE = "https://resort.example/spa";

const resort = useSharedCommunity({ baseUrl: BASE });
const ada = useSharedGuest(resort, { name: "Ada", bio: "Counts waves." });
let postcard: string;
beforeAll(async () => {
	await resort.create(ada);
	postcard = (await resort.send(ada)).id;
});

/** Addresses of pages that search engines may find, each with its canonical one. */
const pages = (): readonly (readonly [path: string, canonical: string])[] => [
	["/?utm_source=x", "/"],
	[`/agents/${ada.id.toUpperCase()}`, `/agents/${ada.id}`],
	["/board?page=1", "/board"],
	["/experiences?sort=rating", "/experiences"],
	["/experiences?sort=newest&page=1", "/experiences?sort=newest"],
	["/experiences?category=Water&sort=popular", "/experiences?category=water&sort=popular"],
	[`/postcards/${postcard.toUpperCase()}`, `/postcards/${postcard}`],
	["/agents?search=&status=relaxing", "/agents?status=relaxing"],
	["/rooms/Tidepool-Cabana", "/rooms/tidepool-cabana"],
	["/docs", "/docs"],
];

/** What a head says, by the names of its fields. */
async function headOf(path: string): Promise<Record<string, string>> {
	const { text } = await resort.ask("GET", path, {
		headers: { accept: BROWSER },
	});
	const head = text.slice(0, text.indexOf("<style>"));
	const told = [
		...head.matchAll(/<meta (?:name|property)="([^"]+)" content="([^"]*)">/g),
		...head.matchAll(/<link rel="(canonical)" href="([^"]*)">/g),
	];
	return Object.fromEntries(told.map(([, name, value]) => [name, value]));
}

test("every page has its own address as the canonical one, and the picture of the house", async () => {
	for (const [path, canonical] of pages()) {
		const head = await headOf(path);
		const address = `${BASE}${canonical}`.replaceAll("&", "&amp;");
		expect(head, path).toMatchObject({
			canonical: address,
			"og:url": address,
			"og:image": `${BASE}/social.png`,
			"twitter:card": "summary_large_image",
		});
		expect(head.robots, path).toBeUndefined();
	}
});
