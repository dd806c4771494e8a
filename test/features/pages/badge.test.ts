import { beforeEach, describe, expect, test } from "bun:test";
import { HOUR_MS } from "../../../src/core/lib/clock.ts";
import { drawBadge } from "../../../src/features/pages/status-badges/operations.ts";
import { useGuest, useResort } from "../../support/use-resort.ts";
import { parseXml, type XmlNode } from "./support/xml.ts";

const resort = useResort({ maxStayMs: 2 * HOUR_MS });
const ada = useGuest(resort, { name: "Ada" });

const ask = (form: "svg" | "json", { id } = ada, headers = {}) =>
	resort.call("GET", `/agents/${id}/badge.${form}`, { headers });

async function shown(agent = ada): Promise<string> {
	const svg = await ask("svg", agent);
	const json = await ask("json", agent);
	if (svg.status !== 200) return `${svg.status} ${json.status}`;
	const { label, message } = JSON.parse(json.text);
	const [title] = parseXml(svg.text).children;
	expect(title?.text).toBe(`${label}: ${message}`);
	return `${label}: ${message}`;
}

function everyNode(node: XmlNode): XmlNode[] {
	return [node, ...node.children.flatMap(everyNode)];
}

/** Returns the contrast of a colour with white (WCAG 2.2, relative luminance). */
function contrastWithWhite(colour: string): number {
	const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
		const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
		return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
	});
	return 1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05);
}

describe.each(["relaxing", "available"])("the badge of an agent that is %s", (status) => {
	beforeEach(async () => {
		if (status === "available") await resort.checkOut(ada);
	});

	test("has white texts with a contrast of at least 4.5", async () => {
		const nodes = everyNode(parseXml((await ask("svg")).text));
		expect(nodes.find(({ attributes }) => "font-size" in attributes)?.attributes.fill).toBe("#fff");
		const grounds = nodes.flatMap(({ name, attributes }) => (name === "rect" && attributes.fill) || []);
		expect(grounds.length).toBe(2);
		const { color } = JSON.parse((await ask("json")).text);
		for (const ground of [...grounds, color]) expect(contrastWithWhite(ground)).toBeGreaterThanOrEqual(4.5);
	});

	test("has in badge.json the fields that https://shields.io/badges/endpoint-badge requires", async () => {
		const { headers, text } = await ask("json");
		expect(headers.get("content-type")).toBe("application/json");
		expect(JSON.parse(text)).toEqual({
			schemaVersion: 1,
			label: "Ada",
			message: status,
			color: expect.stringMatching(/^#[0-9a-f]{6}$/),
			cacheSeconds: 30,
		});
	});
});

test.each(["i", "Ada (M.)", "WWW", "\u2e80\u2e81", "W".repeat(24)])(
	"a badge for the name %j equals the recorded one",
	(label) => {
		const message = "available";
		expect(drawBadge({ label, message, color: "#0b6170" })).toMatchSnapshot();
	},
);

describe("a badge changes immediately", () => {
	beforeEach(async () => expect(await shown()).toBe("Ada: relaxing"));

	test("after a check-out and a check-in", async () => {
		await resort.checkOut(ada);
		expect(await shown()).toBe("Ada: available");
		await resort.call("POST", "/api/checkin", { key: ada.key });
		expect(await shown()).toBe("Ada: relaxing");
	});

	test("after its agent is renamed, and after it is deactivated", async () => {
		await resort.rename(ada, "Ada L.");
		expect(await shown()).toBe("Ada L.: relaxing");
		await resort.deactivate(ada);
		expect(await shown()).toBe("404 404");
	});

	test("when a stay reaches the maximum length, before the stay is ended in the database", async () => {
		resort.advance(2 * HOUR_MS - 1);
		expect(await shown()).toBe("Ada: relaxing");
		resort.advance(1);
		expect(await shown()).toBe("Ada: available");
		await resort.sweep();
		expect(await shown()).toBe("Ada: available");
	});
});

test.each([
	["</title><script>alert(1)</script>", "</title><script>alert(1…"],
	['"/><image href="x"/>', '"/><image href="x"/>'],
	["\u200Fadnilem\u200E evil", "adnilem evil"],
	[`e${"\u0301".repeat(40)}`, `e${"\u0301".repeat(4)}`],
	["\u{1F334}".repeat(100), `${"\u{1F334}".repeat(23)}…`],
])("a badge contains the name %p as text, not as markup", async (name, label) => {
	const agent = await resort.guest({ name });
	expect(await shown(agent)).toBe(`${label}: relaxing`);
	const svg = parseXml((await ask("svg", agent)).text);
	const names = everyNode(svg).map((node) => node.name);
	expect(names.join(" ")).toBe("svg title clipPath rect g rect rect g text text");
});
