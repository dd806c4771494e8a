import { SaxesParser } from "saxes";

/** An element of a parsed document. */
export interface XmlNode {
	readonly name: string;
	readonly attributes: Readonly<Record<string, string>>;
	readonly children: readonly XmlNode[];
	/** The text of the element, without the text of its children. */
	readonly text: string;
}

interface OpenNode extends XmlNode {
	readonly children: XmlNode[];
	text: string;
}

/** Parses a document of XML 1.0 with namespaces. */
export function parseXml(text: string): XmlNode {
	const parser = new SaxesParser({ xmlns: true });
	const top: OpenNode = { name: "", attributes: {}, children: [], text: "" };
	const open = [top];
	parser.on("error", (error) => {
		throw error;
	});
	parser.on("opentag", ({ local, attributes }) => {
		const values = Object.entries(attributes).map(([name, { value }]) => [name, value]);
		const node: OpenNode = { name: local, children: [], text: "", attributes: Object.fromEntries(values) };
		open.at(-1)?.children.push(node);
		open.push(node);
	});
	parser.on("closetag", () => open.pop());
	parser.on("text", (part) => {
		const node = open.at(-1);
		if (node !== undefined) node.text += part;
	});
	parser.write(text).close();
	const [root] = top.children;
	if (root === undefined) throw new Error("no root");
	return root;
}
