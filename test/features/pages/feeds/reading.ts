import { expect } from "bun:test";
import type { Answered } from "../../../support/calls.ts";
import type { TestResort } from "../../../support/resort.ts";
import { parseXml, type XmlNode } from "../support/xml.ts";

/** The paths and the media types of the feeds. */
export const formats = [
	["/feed.json", "application/feed+json"],
	["/feed.atom", "application/atom+xml"],
] as const;

type FeedPath = (typeof formats)[number][0];

/** The fields of an item that both formats contain. A missing field is undefined. */
type ReadItem = Readonly<
	Record<
		"id" | "url" | "title" | "text" | "published" | "author" | "authorUrl" | "category",
		string | undefined
	>
>;

interface ReadFeed extends Record<"title" | "description" | "home" | "self", string | undefined> {
	readonly items: readonly ReadItem[];
}

/** Reads a feed, and expects the elements that its format requires and no others. */
export async function readFeed(
	context: TestResort,
	path: FeedPath,
): Promise<ReadFeed & Pick<Answered, "headers" | "text">> {
	const { status, headers, text } = await context.call("GET", path);
	expect(status, text).toBe(200);
	const feed = path === "/feed.json" ? readJson(text) : readAtom(text);
	const ids = feed.items.map(({ id }) => id);
	expect(new Set(ids).size).toBe(ids.length);
	for (const { published } of feed.items) {
		expect(published).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
	}
	return { ...feed, headers, text };
}

/** Reads a JSON Feed, version 1.1 (https://www.jsonfeed.org/version/1.1/). */
function readJson(json: string): ReadFeed {
	const {
		version,
		items,
		home_page_url: home,
		feed_url: self,
		title,
		description,
		...rest
	} = JSON.parse(json);
	expect(version).toBe("https://jsonfeed.org/version/1.1");
	expect(rest).toEqual({});
	return { title, description, home, self, items: items.map(readJsonItem) };
}

function readJsonItem(
	item: Record<string, string> & { authors: Record<string, string>[]; tags?: string[] },
): ReadItem {
	const { id, url, title, content_text: text, date_published: published, authors, tags, ...others } = item;
	expect(others).toEqual({});
	expect(authors).toHaveLength(1);
	const [{ name: author, url: authorUrl } = {}] = authors;
	return { id, url, title, text, published, author, authorUrl, category: tags?.join() };
}

/** Reads an Atom feed (RFC 4287, sections 2 to 4.2). */
function readAtom(text: string): ReadFeed {
	const feed = parseXml(text);
	expect(feed.name).toBe("feed");
	expectChildren(feed, /^id title subtitle updated link link( entry)*$/);
	expect(child(feed, "id")?.text).toBe(linkOf(feed, "self") ?? "no link");
	return {
		title: child(feed, "title")?.text,
		description: child(feed, "subtitle")?.text,
		home: linkOf(feed, "alternate"),
		self: linkOf(feed, "self"),
		items: feed.children.filter(({ name }) => name === "entry").map(readEntry),
	};
}

function readEntry(entry: XmlNode): ReadItem {
	expectChildren(entry, /^id title published updated author( category)?( link)? content$/);
	expect(child(entry, "updated")?.text).toBe(child(entry, "published")?.text);
	const author = child(entry, "author") as XmlNode;
	expectChildren(author, /^name( uri)?$/);
	const content = child(entry, "content");
	expect(content?.attributes).toEqual({ type: "text" });
	return {
		id: child(entry, "id")?.text,
		url: linkOf(entry, "alternate"),
		title: child(entry, "title")?.text,
		text: content?.text,
		published: child(entry, "published")?.text,
		author: child(author, "name")?.text,
		authorUrl: child(author, "uri")?.text,
		category: child(entry, "category")?.attributes.term,
	};
}

/** Expects that an element contains these elements of Atom in this order, and no text. */
function expectChildren({ children, text }: XmlNode, names: RegExp): void {
	expect(children.map(({ name }) => name).join(" ")).toMatch(names);
	for (const { namespace } of children) expect(namespace).toBe("http://www.w3.org/2005/Atom");
	expect(text.trim()).toBe("");
}

/** Returns the first child with this name. */
export function child(node: XmlNode, name: string): XmlNode | undefined {
	return node.children.find((one) => one.name === name);
}

function linkOf(node: XmlNode, rel: string): string | undefined {
	const link = node.children.find(({ name, attributes }) => name === "link" && attributes.rel === rel);
	return link?.attributes.href;
}
