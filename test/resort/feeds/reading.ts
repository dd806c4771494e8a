import type { Answered, TestResort } from "../../support/resort.ts";
import { parseXml, type XmlNode } from "../../support/xml.ts";
import { atomFaults } from "./atom-rules.ts";
import { jsonFeedFaults } from "./json-feed-schema.ts";

/** What both formats tell of an item; undefined for what is not told. */
export interface ReadItem {
	readonly id?: string | undefined;
	readonly url?: string | undefined;
	readonly title?: string | undefined;
	readonly text?: string | undefined;
	readonly published?: string | undefined;
	readonly author?: string | undefined;
	readonly authorUrl?: string | undefined;
	readonly category?: string | undefined;
}

/** A feed as a reader sees it. */
export interface ReadFeed {
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

/** The address of a feed. */
export type FeedPath = (typeof formats)[number][0];

const readers: Readonly<Record<FeedPath, (text: string) => ReadFeed>> = {
	"/feed.json": readJson,
	"/feed.atom": readAtom,
};

/**
 * Reads a feed of a resort.
 * @throws Error when it is not 200, or breaks its format
 */
export async function readFeed(
	context: TestResort,
	path: FeedPath,
): Promise<ReadFeed & Pick<Answered, "headers" | "text">> {
	const { status, headers, text } = await context.ask("GET", path);
	if (status !== 200) throw new Error(text);
	return { ...readers[path](text), headers, text };
}

interface JsonItem {
	readonly id: string;
	readonly url?: string;
	readonly title?: string;
	readonly content_text?: string;
	readonly date_published?: string;
	readonly authors?: readonly {
		readonly name?: string;
		readonly url?: string;
	}[];
	readonly tags?: readonly string[];
}

function readJson(text: string): ReadFeed {
	const feed = JSON.parse(text);
	refuse(jsonFeedFaults(feed), text);
	const items: readonly JsonItem[] = feed.items;
	return {
		title: feed.title,
		description: feed.description,
		home: feed.home_page_url,
		self: feed.feed_url,
		items: items.map((item) => ({
			id: item.id,
			url: item.url,
			title: item.title,
			text: item.content_text,
			published: item.date_published,
			author: item.authors?.[0]?.name,
			authorUrl: item.authors?.[0]?.url,
			category: item.tags?.[0],
		})),
	};
}

function readAtom(text: string): ReadFeed {
	const feed = parseXml(text);
	refuse(atomFaults(feed), text);
	return {
		title: child(feed, "title")?.text,
		description: child(feed, "subtitle")?.text,
		home: linkOf(feed, "alternate"),
		self: linkOf(feed, "self"),
		items: feed.children
			.filter(({ name }) => name === "entry")
			.map((entry) => {
				const author = child(entry, "author");
				return {
					id: child(entry, "id")?.text,
					url: linkOf(entry, "alternate"),
					title: child(entry, "title")?.text,
					text: child(entry, "content")?.text,
					published: child(entry, "published")?.text,
					author: author && child(author, "name")?.text,
					authorUrl: author && child(author, "uri")?.text,
					category: child(entry, "category")?.attributes.term,
				};
			}),
	};
}

function refuse(faults: readonly string[], text: string): void {
	if (faults.length > 0) throw new Error(`${faults.join("\n")}\n${text}`);
}

/** The first element of a name in another one. */
export function child(node: XmlNode, name: string): XmlNode | undefined {
	return node.children.find((one) => one.name === name);
}

function linkOf(node: XmlNode, rel: string): string | undefined {
	return node.children.find(
		({ name, attributes }) => name === "link" && attributes.rel === rel,
	)?.attributes.href;
}
