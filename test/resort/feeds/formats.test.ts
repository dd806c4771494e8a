/** That what holds the feeds to their formats would notice a fault, and what each format has of its own. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { iso } from "../../support/answers.ts";
import { Community } from "../../support/community.ts";
import { parseXml } from "../../support/xml.ts";
import { atomFaults } from "./atom-rules.ts";
import { jsonFeedFaults } from "./json-feed-schema.ts";
import { child, readFeed } from "./reading.ts";

const context = new Community();
let json: string;
let atom: string;
let newestMs: number;
beforeAll(async () => {
	const guest = await context.guest();
	await context.create(guest);
	context.advance(7_001);
	await context.send(guest);
	newestMs = context.nowMs;
	context.advance(60_000);
	json = (await readFeed(context, "/feed.json")).text;
	atom = (await readFeed(context, "/feed.atom")).text;
});
afterAll(() => context.close());

describe("the rules of JSON Feed find what breaks them", () => {
	type Item = Record<string, unknown>;
	const items = (change: (item: Item) => object) => (feed: Item) => ({
		...feed,
		items: (feed.items as Item[]).map(change),
	});
	const without =
		(name: string) =>
		({ [name]: _, ...rest }: Item) =>
			rest;

	test.each<[string, (feed: Item) => unknown]>([
		["no version", without("version")],
		["an older version", (feed) => ({ ...feed, version: "1" })],
		["no title", without("title")],
		["no items", without("items")],
		["no address", (feed) => ({ ...feed, feed_url: "/feed.json" })],
		["an unknown field", (feed) => ({ ...feed, subtitle: "s" })],
		["no id", items(without("id"))],
		["one id for all", items((item) => ({ ...item, id: "a" }))],
		["a number for an id", items((item) => ({ ...item, id: 1 }))],
		["no content", items(without("content_text"))],
		["no date", items((item) => ({ ...item, date_published: "today" }))],
		["an author alone", items((item) => ({ ...item, authors: "Ada" }))],
		["nobody", items((item) => ({ ...item, authors: [{}] }))],
		["a tag alone", items((item) => ({ ...item, tags: "water" }))],
	])("%s", (_, change) => {
		expect(jsonFeedFaults(JSON.parse(json))).toEqual([]);
		expect(jsonFeedFaults(change(JSON.parse(json)))).not.toEqual([]);
	});
});

describe("the rules of Atom find what breaks them", () => {
	test.each<[string, RegExp, string]>([
		["another namespace", /2005\/Atom/, "2005/Other"],
		["no id", /<id>.*?<\/id>/, ""],
		["a relative id", /<id>.*?<\/id>/, "<id>feed</id>"],
		["no title", /<title>.*?<\/title>/, ""],
		["two titles", /(<title>.*?<\/title>)/, "$1$1"],
		["no update", /<updated>.*?<\/updated>/, ""],
		["a day alone", /(<updated>.{10}).*?</, "$1<"],
		["small letters", /(<updated>.{10})T/, "$1t"],
		["no link to itself", /rel="self"/, 'rel="related"'],
		["an unknown element", /<subtitle>/, "<about></about><subtitle>"],
		["text in between", /<entry>/, "and<entry>"],
		["an entry without id", /<entry>\s*<id>.*?<\/id>/, "<entry>"],
		[
			"an entry without update",
			/<\/published>\s*<updated>.*?<\/updated>/,
			"</published>",
		],
		["an entry of nobody", /<author>.*?<\/author>/, ""],
		["an author without name", /<name>.*?<\/name>/, ""],
		["an author of two names", /(<name>.*?<\/name>)/, "$1$1"],
		["a relative profile", /<uri>.*?<\/uri>/, "<uri>/api</uri>"],
		["an entry without content", /<content.*?<\/content>/, ""],
		["content of another type", /type="text"/, 'type="html"'],
		["no category", /term=/, "label="],
		["a link to nowhere", /<link rel="alternate" href=/, "<link to="],
		["one id for all", /<id>urn[^<]*(.*)<id>urn[^<]*/s, "<id>urn:a$1<id>urn:a"],
	])("%s", (_, sought, other) => {
		expect(atomFaults(parseXml(atom))).toEqual([]);
		const broken = atom.replace(sought, other);
		expect(broken).not.toBe(atom);
		expect(atomFaults(parseXml(broken))).not.toEqual([]);
	});

	test.each([
		"<a>\u0001</a>",
		"<a>\ufffe</a>",
		"<a>]]></a>",
		"<a>&b;</a>",
		"<a><b></a>",
	])("XML that is not well-formed: %j", (text) => {
		expect(() => parseXml(text)).toThrow();
	});
});

test("an Atom feed tells when its newest entry came", async () => {
	const feed = parseXml(atom);
	expect(child(feed, "updated")?.text).toBe(iso(newestMs));
	const entries = feed.children.filter(({ name }) => name === "entry");
	for (const entry of entries) {
		expect(child(entry, "updated")).toEqual({
			...child(entry, "published"),
			name: "updated",
		} as never);
	}
	expect(entries).toHaveLength(2);
});

test("an Atom feed of nothing tells the beginning of time", async () => {
	const empty = new Community();
	const before = (await readFeed(empty, "/feed.atom")).text;
	expect(child(parseXml(before), "updated")?.text).toBe(iso(0));
	await empty.close();
});
