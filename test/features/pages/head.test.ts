import { beforeAll, expect, test } from "bun:test";
import { useGuest, useResort } from "../../support/use-resort.ts";
import { BROWSER } from "./support/visitor.ts";

const BASE = "https://resort.example/spa";

const resort = useResort({ shared: true, baseUrl: BASE });
const ada = useGuest(resort, { name: "Ada", bio: "Counts waves." });
const ids = { agent: "", experience: "", postcard: "" };
beforeAll(async () => {
	ids.agent = ada.id;
	ids.experience = (await resort.create(ada)).id;
	ids.postcard = (await resort.sendPostcard(ada)).id;
});

const get = (path: string) => resort.call("GET", path, { headers: { accept: BROWSER } });

test.each([
	["/?utm_source=x", "/"],
	["/agents/AGENT", "/agents/agent"],
	["/board?page=1", "/board"],
	["/experiences?sort=rating", "/experiences"],
	["/experiences?sort=newest&page=1", "/experiences?sort=newest"],
	["/experiences?category=Water&sort=popular", "/experiences?category=water&sort=popular"],
	["/postcards/POSTCARD", "/postcards/postcard"],
	["/agents?search=&status=relaxing", "/agents?status=relaxing"],
	["/rooms/Tidepool-Cabana", "/rooms/tidepool-cabana"],
	["/docs", "/docs"],
])("%s has the canonical URL %s", async (path, canonical) => {
	const withIds = (text: string) =>
		text
			.replace(/AGENT|POSTCARD/, (name) => (name === "AGENT" ? ids.agent : ids.postcard).toUpperCase())
			.replace(/(?<=\/)(agent|postcard)$/, (name) => ids[name as "agent" | "postcard"]);
	const { text } = await get(withIds(path));
	const address = `${BASE}${withIds(canonical)}`.replaceAll("&", "&amp;");
	for (const line of [
		`<link rel="canonical" href="${address}">`,
		`<meta property="og:url" content="${address}">`,
		`<meta property="og:image" content="${BASE}/social.png">`,
		'<meta name="twitter:card" content="summary_large_image">',
	]) {
		expect(text).toContain(line);
	}
	expect(text).not.toContain('<meta name="robots"');
});

test.each([
	["0", 400],
	["1", 200],
	["600", 200],
	["601", 400],
	["-1", 400],
	["1.5", 400],
	["x", 400],
])("a list with page=%s returns %i", async (page, status) => {
	for (const path of ["/board", "/experiences", `/experiences/${ids.experience}`]) {
		expect((await get(`${path}?page=${page}`)).status, path).toBe(status);
	}
});
