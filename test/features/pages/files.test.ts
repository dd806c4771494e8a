/** Tests of files for browsers and search engines, of canonical URLs, and of page numbers. */
import { beforeAll, describe, expect, test } from "bun:test";
import { configuration } from "../../../src/cli/features.ts";
import { DAY_MS } from "../../../src/core/lib/clock.ts";
import { TestResort } from "../../support/resort.ts";
import { useGuest, useResort } from "../../support/use-resort.ts";
import { BROWSER } from "./support/visitor.ts";
import { parseXml } from "./support/xml.ts";

const BASE = "https://resort.example/spa";

const resort = useResort({ shared: true, securityContact: "mailto:security@resort.test", baseUrl: BASE });

const ada = useGuest(resort, { name: "Ada" });
const ids = { agent: "", experience: "", postcard: "" };
beforeAll(async () => {
	ids.agent = ada.id;
	ids.experience = (await resort.create(ada)).id;
	ids.postcard = (await resort.sendPostcard(ada)).id;
});

const get = (path: string) => resort.call("GET", path);

const openPage = (path: string) => resort.call("GET", path, { headers: { accept: BROWSER } });

describe("/.well-known/security.txt", () => {
	const PATH = "/.well-known/security.txt";

	/** Returns the fields of security.txt. Requires that no field occurs twice (RFC 9116). */
	async function read(of = resort): Promise<Record<string, string>> {
		const { text } = await of.call("GET", PATH);
		expect(text).toMatch(/^([A-Z][A-Za-z-]*: \S.*\n)+$/);
		const lines = text.trimEnd().split("\n");
		const fields = lines.map((line) => line.split(/: (.*)/s).slice(0, 2));
		expect(new Set(fields.map(([name]) => name)).size).toBe(lines.length);
		return Object.fromEntries(fields);
	}

	test("contains the contact, the expiry and its own URL", async () => {
		const { headers } = await get(PATH);
		expect(headers.get("content-type")).toBe("text/plain; charset=utf-8");
		const fields = await read();
		expect(fields.Contact).toBe("mailto:security@resort.test");
		expect(fields.Canonical).toBe(`${BASE}${PATH}`);
		expect(fields.Expires).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
	});

	test.each([
		["immediately", 0],
		["1 ms before a day has passed", DAY_MS - 1],
		["after a day", DAY_MS],
		["after the clock was set back by 900 days", -900 * DAY_MS],
	])("if read again %s, expires 30 to 365 days after that", async (_, laterMs) => {
		await read();
		resort.advance(laterMs);
		const { Expires = "" } = await read();
		const leftMs = Date.parse(Expires) - resort.nowMs;
		expect(leftMs).toBeGreaterThan(30 * DAY_MS);
		expect(leftMs).toBeLessThan(365 * DAY_MS);
	});

	test("returns 404 if `--security-contact` is not set", async () => {
		await using silent = new TestResort();
		expect((await silent.call("GET", PATH)).status).toBe(404);
	});
});

describe("the setting `--security-contact`", () => {
	const REFUSAL = "an e-mail address, or an address with";

	const read = (text: string) =>
		configuration.read({}, { RESORT_SECURITY_CONTACT: text })["security-contact"];

	test.each([
		["security@resort.example", "mailto:security@resort.example"],
		["mailto:a@b", "mailto:a@b"],
		["https://resort.example/security", "https://resort.example/security"],
		["tel:+49-30-1234", "tel:+49-30-1234"],
	])("reads %p as the URL %p", (text, contact) => {
		expect(read(text)).toBe(contact);
	});

	test.each([
		["a word", "ab"],
		["a URL with http", "http://resort.example"],
		["a URL without a host", "https://"],
		["an e-mail address without @", "mailto:nobody"],
		["a telephone number without digits", "tel:me"],
		["a host name", "resort.example"],
		["an e-mail address with a space", "two words@resort.example"],
		["a second field after a line break", "a@b\nContact: mailto:c@d"],
		["an e-mail address with two @", "a@b@c"],
		["an e-mail address with a letter outside ASCII", "säkerhet@resort.example"],
	])("refuses %s", (_, text) => {
		expect(() => read(text)).toThrow(REFUSAL);
	});

	test("accepts a URL of up to 500 characters, and refuses a longer one", () => {
		const longest = `https://a/${"x".repeat(490)}`;
		expect(read(longest)).toBe(longest);
		expect(() => read(`${longest}x`)).toThrow(REFUSAL);
	});
});

describe("the file", () => {
	test("/favicon.svg is well-formed SVG without a script", async () => {
		const { text } = await get("/favicon.svg");
		expect(parseXml(text).attributes.xmlns).toBe("http://www.w3.org/2000/svg");
		expect(text).not.toContain("<script");
	});

	test.each([
		["/apple-touch-icon.png", 180, 180],
		["/icon-512.png", 512, 512],
		["/social.png", 1200, 630],
	])("%s is a PNG of %i by %i pixels", async (path, width, height) => {
		const response = await resort.fetch(new Request(`http://resort.test${path}`));
		const png = Buffer.from(await response.arrayBuffer());
		expect(png.subarray(1, 4).toString()).toBe("PNG");
		expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([width, height]);
	});

	test.each(["/favicon.svg", "/social.png"])("%s may be cached for a day, and has an ETag", async (path) => {
		const { headers } = await get(path);
		expect(headers.get("cache-control")).toBe("public, max-age=86400");
		const known = { "if-none-match": headers.get("etag") ?? "" };
		expect((await resort.call("GET", path, { headers: known })).status).toBe(304);
	});
});

test("/manifest.webmanifest names icons that exist", async () => {
	const { text } = await get("/manifest.webmanifest");
	const { icons, start_url } = JSON.parse(text);
	expect(start_url).toBe(".");
	for (const { src, type } of icons) {
		const icon = await get(`/${src}`);
		expect(icon.headers.get("content-type")).toBe(type);
	}
});

test("/sitemap.xml lists URLs of existing pages, and omits the page of an agent after its deactivation", async () => {
	const read = async () => {
		const { headers, text } = await get("/sitemap.xml");
		expect(headers.get("content-type")).toBe("application/xml");
		return parseXml(text).children.map(({ children: [location] }) => location?.text ?? "");
	};
	const grace = await resort.guest({ name: "Grace" });
	const addresses = await read();
	expect(addresses).toContain(`${BASE}/agents/${grace.id}`);
	for (const address of addresses) {
		expect((await openPage(address.replace(BASE, ""))).status, address).toBe(200);
	}
	await resort.deactivate(grace);
	expect(await read()).toEqual(addresses.filter((address) => !address.includes(grace.id)));
});

test.each([
	["/?utm_source=x", "/"],
	["/agents/AGENT-ID-IN-UPPER-CASE", "/agents/agent-id"],
	["/board?page=1", "/board"],
	["/experiences?sort=rating", "/experiences"],
	["/experiences?sort=newest&page=1", "/experiences?sort=newest"],
	["/experiences?category=Water&sort=popular", "/experiences?category=water&sort=popular"],
	["/postcards/POSTCARD-ID-IN-UPPER-CASE", "/postcards/postcard-id"],
	["/agents?search=&status=relaxing", "/agents?status=relaxing"],
	["/rooms/Tidepool-Cabana", "/rooms/tidepool-cabana"],
	["/docs", "/docs"],
])("the page %s has the canonical URL %s", async (path, canonical) => {
	const withIds = (text: string) =>
		text
			.replace("AGENT-ID-IN-UPPER-CASE", ids.agent.toUpperCase())
			.replace("POSTCARD-ID-IN-UPPER-CASE", ids.postcard.toUpperCase())
			.replace("agent-id", ids.agent)
			.replace("postcard-id", ids.postcard);
	const { text } = await openPage(withIds(path));
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
])("a list with the query `?page=%s` returns status %i", async (page, status) => {
	for (const path of ["/board", "/experiences", `/experiences/${ids.experience}`]) {
		expect((await openPage(`${path}?page=${page}`)).status, path).toBe(status);
	}
});

test("every anchor and label on /docs refers to one element, also on an instance with test controls", async () => {
	await using controlled = new TestResort({ testControls: true });
	const headers = { accept: BROWSER, host: "localhost" };
	const { text } = await controlled.call("GET", "/docs", { headers });
	const valuesOf = (name: string) =>
		[...text.matchAll(new RegExp(` ${name}="([^"]*)"`, "g"))].map(([, value]) => value);
	const all = valuesOf("id");
	expect(all).toEqual([...new Set(all)]);
	expect(all).toContain("Test-controls");
	const anchors = valuesOf("href").filter((value) => value?.startsWith("#"));
	for (const id of [...valuesOf("aria-labelledby"), ...anchors.map((value) => value?.slice(1))]) {
		expect(all).toContain(id);
	}
});
