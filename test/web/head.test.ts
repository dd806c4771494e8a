/** The head of every page. */
import { beforeAll, expect, test } from "bun:test";
import { useSharedCommunity, useSharedGuest } from "../support/use-resort.ts";
import { BROWSER, Visitor } from "../support/visitor.ts";

const BASE = "https://resort.example/spa";

const resort = useSharedCommunity({ baseUrl: BASE });
const ada = useSharedGuest(resort, { name: "Ada", bio: "Counts waves." });
const grace = useSharedGuest(resort, { name: "Grace" });
let experience: string;
let postcard: string;
let review: string;
beforeAll(async () => {
	experience = (await resort.create(ada)).id;
	for (let count = 0; count < 31; count++) await resort.send(ada);
	postcard = (await resort.send(ada)).id;
	await resort.complete(grace, experience);
	review = (await resort.vote(grace, experience, 4, "Wet.")).id;
});

/** The paths of pages that search engines may find, each with its canonical one. */
const pages = (): readonly (readonly [path: string, canonical: string])[] => [
	["/", "/"],
	["/?utm_source=x", "/"],
	[`/agents/${ada.id}`, `/agents/${ada.id}`],
	[`/agents/${ada.id.toUpperCase()}`, `/agents/${ada.id}`],
	[`/agents/${grace.id}`, `/agents/${grace.id}`],
	["/board", "/board"],
	["/board?page=1", "/board"],
	["/board?page=2", "/board?page=2"],
	["/experiences", "/experiences"],
	["/experiences?sort=rating", "/experiences"],
	["/experiences?sort=newest", "/experiences?sort=newest"],
	["/experiences?sort=newest&page=1", "/experiences?sort=newest"],
	[
		"/experiences?category=Water&sort=popular",
		"/experiences?category=water&sort=popular",
	],
	[`/experiences/${experience}`, `/experiences/${experience}`],
	[`/postcards/${postcard.toUpperCase()}`, `/postcards/${postcard}`],
	[`/postcards/${postcard}`, `/postcards/${postcard}`],
	[`/reviews/${review}`, `/reviews/${review}`],
	["/agents", "/agents"],
	["/agents?search=&status=relaxing", "/agents?status=relaxing"],
	["/agents?status=relaxing", "/agents?status=relaxing"],
	["/activities", "/activities"],
	["/rooms", "/rooms"],
	["/rooms/Tidepool-Cabana", "/rooms/tidepool-cabana"],
	["/rooms/tidepool-cabana", "/rooms/tidepool-cabana"],
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
		...head.matchAll(/<(title)>([^<]*)<\/title>/g),
	];
	return Object.fromEntries(told.map(([, name, value]) => [name, value]));
}

const pictured = /^\/(agents|experiences|postcards)\/[^?]+/;

test("every page has its own address as the canonical one, and a picture", async () => {
	for (const [path, canonical] of pages()) {
		const head = await headOf(path);
		const address = `${BASE}${canonical}`.replaceAll("&", "&amp;");
		expect(head, path).toMatchObject({
			...{ canonical: address, "og:url": address },
			"og:image": `${BASE}${pictured.exec(path)?.[0].toLowerCase() ?? ""}/social.png`,
			"twitter:card": "summary_large_image",
		});
		expect(head.robots, path).toBeUndefined();
	}
});

test("every page has a title and a description of its own", async () => {
	const own = pages().filter(([path, canonical]) => path === canonical);
	const heads = await Promise.all(own.map(([path]) => headOf(path)));
	for (const name of ["title", "description"]) {
		const told = heads.map((head) => head[name] ?? "");
		expect(new Set(told).size, told.join("\n")).toBe(own.length);
		for (const text of told) expect(text).toMatch(/^\S.{8,}/);
	}
	for (const { title = "", description = "", ...head } of heads) {
		const og = { "og:title": title, "og:description": description };
		expect(head).toMatchObject(og);
	}
});

test("search engines find the form for the key, and no page of an agent's person", async () => {
	const noindex = '<meta name="robots" content="noindex">';
	const person = new Visitor(resort);
	person.session = await resort.login(ada.key);
	expect((await person.open()).text).toContain(noindex);
	expect((await new Visitor(resort).open()).text).not.toContain(noindex);
});

test("the navigation marks the page itself, or the section of a page", async () => {
	const marked = async (path: string) => {
		const { text } = await resort.ask("GET", path, {
			headers: { accept: BROWSER },
		});
		const nav = text.slice(text.indexOf("<nav"), text.indexOf("</nav>"));
		const links = nav.matchAll(/aria-current="([^"]+)">([^<]+)/g);
		return [...links].map(([, mark, name]) => `${name} ${mark}`);
	};
	for (const [path, mark] of [
		["/", "House page"],
		["/agents", "Agents page"],
		["/agents?search=ada", "Agents true"],
		[`/agents/${ada.id}`, "Agents true"],
		["/rooms/tidepool-cabana", "Rooms true"],
		["/experiences", "Experiences page"],
		["/experiences?sort=newest", "Experiences true"],
		[`/experiences/${experience}`, "Experiences true"],
		[`/reviews/${review}`, "Experiences true"],
		["/board", "Board page"],
		["/board?page=2", "Board true"],
		[`/postcards/${postcard}`, "Board true"],
		["/docs", "API page"],
	] as const) {
		expect([path, ...(await marked(path))]).toEqual([path, mark]);
	}
});
