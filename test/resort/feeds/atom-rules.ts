/** What RFC 4287 requires of a feed, written from its sections 2 to 4.2. */
import type { XmlNode } from "../../support/xml.ts";

const ATOM = "http://www.w3.org/2005/Atom";

/** How often an element may be there. */
interface Counts {
	readonly once: readonly string[];
	readonly atMostOnce: readonly string[];
	readonly anyNumber: readonly string[];
}

/** 4.1.1. */
const feedCounts: Counts = {
	once: ["id", "title", "updated"],
	atMostOnce: ["generator", "icon", "logo", "rights", "subtitle"],
	anyNumber: ["author", "category", "contributor", "link", "entry"],
};

/** 4.1.2. */
const entryCounts: Counts = {
	once: ["id", "title", "updated"],
	atMostOnce: ["content", "published", "rights", "source", "summary"],
	anyNumber: ["author", "category", "contributor", "link"],
};

/** 3.2. */
const personCounts: Counts = {
	once: ["name"],
	atMostOnce: ["uri", "email"],
	anyNumber: [],
};

const texts = ["title", "subtitle", "summary", "rights"];
const dates = ["updated", "published"];
const persons = ["author", "contributor"];

const all = (node: XmlNode, name: string) =>
	node.children.filter((child) => child.name === name);

function countFaults(node: XmlNode, counts: Counts): string[] {
	const { once, atMostOnce, anyNumber } = counts;
	const known = [...once, ...atMostOnce, ...anyNumber];
	return [
		...once.filter((name) => all(node, name).length !== 1),
		...atMostOnce.filter((name) => all(node, name).length > 1),
		...node.children
			.filter(({ name, namespace }) => {
				return namespace !== ATOM || !known.includes(name);
			})
			.map(({ name }) => name),
		...(node.text.trim() === "" ? [] : ["text"]),
	].map((what) => `${node.name}: ${what}`);
}

/** An absolute address: a scheme and something after it, without space. */
const isAbsolute = (text = "") => /^[A-Za-z][A-Za-z0-9+.-]*:\S+$/.test(text);

/** 3.3: RFC 3339 with T and Z in upper case. */
function isDate(text: string): boolean {
	const form = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;
	return form.test(text) && !Number.isNaN(Date.parse(text));
}

/** What is wrong with the value of one element. */
function valueFault(node: XmlNode): string | null {
	const { name, text, attributes, children } = node;
	const { type = "text" } = attributes;
	const isPlain = children.length === 0;
	if (name === "id" || name === "uri" || name === "icon" || name === "logo") {
		return isPlain && isAbsolute(text) ? null : "no address";
	}
	if (dates.includes(name)) return isPlain && isDate(text) ? null : "no date";
	if (texts.includes(name)) {
		return type === "text" && isPlain ? null : "no plain text";
	}
	if (name === "content") {
		return type === "text" && isPlain ? null : "no plain text";
	}
	if (name === "category") return "term" in attributes ? null : "no term";
	if (name === "link") {
		if (!isAbsolute(attributes.href)) return "no href";
		const media = attributes.type ?? "text/plain";
		return /^[\w.+-]+\/[\w.+-]+$/.test(media) ? null : "no media type";
	}
	return null;
}

/** What of a feed or an entry is wrong beyond the numbers of its elements. */
function partFaults(node: XmlNode): string[] {
	const alternates = all(node, "link")
		.filter(({ attributes: { rel = "alternate" } }) => rel === "alternate")
		.map(({ attributes: { type, hreflang } }) => `${type} ${hreflang}`);
	return [
		...node.children.flatMap((child) => {
			const fault = valueFault(child);
			return fault === null ? [] : [`${node.name}: ${child.name}: ${fault}`];
		}),
		...persons
			.flatMap((name) => all(node, name))
			.flatMap((person) => [
				...countFaults(person, personCounts),
				...person.children.flatMap((child) => valueFault(child) ?? []),
			]),
		...(new Set(alternates).size === alternates.length
			? []
			: [`${node.name}: two links of one type`]),
	];
}

/** What of a document breaks RFC 4287. */
export function atomFaults(feed: XmlNode): string[] {
	if (feed.name !== "feed" || feed.namespace !== ATOM) return ["no feed"];
	const entries = all(feed, "entry");
	const ids = entries.flatMap((entry) => all(entry, "id"));
	const self = all(feed, "link").filter(({ attributes }) => {
		return attributes.rel === "self";
	});
	return [
		...countFaults(feed, feedCounts),
		...partFaults(feed),
		...(self.length === 1 ? [] : ["feed: no link to itself"]),
		...entries.flatMap((entry) => [
			...countFaults(entry, entryCounts),
			...partFaults(entry),
			...(all(entry, "author").length + all(feed, "author").length > 0
				? []
				: ["entry: nobody wrote it"]),
			// 4.1.2 takes a link in its place; here every entry has both or content alone.
			...(all(entry, "content").length > 0 ? [] : ["entry: no content"]),
		]),
		...(new Set(ids.map(({ text }) => text)).size === entries.length
			? []
			: ["two entries with one id"]),
	];
}
