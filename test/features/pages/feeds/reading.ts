import { expect } from "bun:test";
import type { Answered, TestResort } from "../../../support/resort.ts";
import { parseXml, type XmlNode } from "../../../support/xml.ts";

/** What both formats contain of an item; undefined for what is missing. */
type ReadItem = Readonly<
	Record<
		"id" | "url" | "title" | "text" | "published" | "author" | "authorUrl" | "category",
		string | undefined
	>
>;

interface ReadFeed {
	readonly title?: string | undefined;
	readonly description?: string | undefined;
	readonly home?: string | undefined;
	readonly self?: string | undefined;
	readonly items: readonly ReadItem[];
}

/** Both formats: where each is, and its media type. */
export const formats = [
	["/feed.json", "application/feed+json"],
	["/feed.atom", "application/atom+xml"],
] as const;

type FeedPath = (typeof formats)[number][0];

const readers: Readonly<Record<FeedPath, (text: string) => ReadFeed>> = {
	"/feed.json": readJson,
	"/feed.atom": readAtom,
};

/** Reads a feed of a resort, and verifies that it has what its format requires and nothing else. */
export async function readFeed(
	context: TestResort,
	path: FeedPath,
): Promise<ReadFeed & Pick<Answered, "headers" | "text">> {
	const { status, headers, text } = await context.ask("GET", path);
	expect(status, text).toBe(200);
	const feed = readers[path](text);
	const ids = feed.items.map(({ id }) => id);
	expect(new Set(ids).size).toBe(ids.length);
	for (const { url, authorUrl, published } of feed.items) {
		for (const address of [url, authorUrl]) {
			if (address !== undefined) expect(URL.canParse(address)).toBe(true);
		}
		expect(published).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
	}
	return { ...feed, headers, text };
}

/** JSON Feed 1.1 (https://www.jsonfeed.org/version/1.1/). */
function readJson(text: string): ReadFeed {
	const { version, ...feed } = JSON.parse(text);
	expect(version).toBe("https://jsonfeed.org/version/1.1");
	expect(Object.keys(feed).sort().join(" ")).toBe("description feed_url home_page_url items title");
	return {
		title: feed.title,
		description: feed.description,
		home: feed.home_page_url,
		self: feed.feed_url,
		items: feed.items.map(readJsonItem),
	};
}

function readJsonItem(item: Record<string, unknown>): ReadItem {
	const {
		content_text: text,
		date_published: published,
		authors: [{ name: author, url: authorUrl }],
		tags: [category] = [],
		...fields
	} = item as {
		readonly id: string;
		readonly url?: string;
		readonly title: string;
		readonly content_text: string;
		readonly date_published: string;
		readonly authors: readonly [{ name: string; url?: string }];
		readonly tags?: readonly string[];
	};
	const { id, url, title } = fields;
	expect(item).toEqual({
		id,
		title,
		content_text: text,
		date_published: published,
		...(url !== undefined && { url }),
		authors: [{ name: author, ...(authorUrl && { url: authorUrl }) }],
		...(category !== undefined && { tags: [category] }),
	});
	return { id, url, title, text, published, author, authorUrl, category };
}

/** RFC 4287, sections 2 to 4.2. */
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
		items: feed.children
			.filter(({ name }) => name === "entry")
			.map((entry) => {
				expectChildren(entry, /^id title published updated author( category)?( link)? content$/);
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
			}),
	};
}

/** Verifies that an element holds these elements of Atom in this order, and no text of its own. */
function expectChildren({ children, text }: XmlNode, names: RegExp): void {
	expect(children.map(({ name }) => name).join(" ")).toMatch(names);
	for (const { namespace } of children) {
		expect(namespace).toBe("http://www.w3.org/2005/Atom");
	}
	expect(text.trim()).toBe("");
}

export function child(node: XmlNode, name: string): XmlNode | undefined {
	return node.children.find((one) => one.name === name);
}

function linkOf(node: XmlNode, rel: string): string | undefined {
	return node.children.find(({ name, attributes }) => name === "link" && attributes.rel === rel)?.attributes
		.href;
}
