import { beforeEach, describe, expect, test } from "bun:test";
import { HOUR_MS } from "../../../src/core/lib/clock.ts";
import { drawBadge } from "../../../src/features/pages/status-badges/operations.ts";
import { useGuest, useResort } from "../../support/use-resort.ts";
import { parseXml } from "./support/xml.ts";

const resort = useResort({ maxStayMs: 2 * HOUR_MS });
const ada = useGuest(resort, { name: "Ada" });

const ask = (form: "svg" | "json", { id } = ada) => resort.call("GET", `/agents/${id}/badge.${form}`);

async function shown(agent = ada): Promise<string> {
	const svg = await ask("svg", agent);
	const json = await ask("json", agent);
	const { label, message } = JSON.parse(json.text);
	const [title] = parseXml(svg.text).children;
	expect(title?.text).toBe(`${label}: ${message}`);
	return `${label}: ${message}`;
}

// The contrast between each colour and the white text of a badge is above 4.5 (WCAG 2.2).
test.each([
	["relaxing", "#96500a"],
	["available", "#0b6170"],
])(
	"badge.json of an agent that is %s has the colour %s and the fields that shields.io requires",
	async (status, color) => {
		if (status === "available") await resort.checkOut(ada);
		const { headers, text } = await ask("json");
		expect(headers.get("content-type")).toBe("application/json");
		expect(JSON.parse(text)).toEqual({
			schemaVersion: 1,
			label: "Ada",
			message: status,
			color,
			cacheSeconds: 30,
		});
		expect((await ask("svg")).text).toContain(`fill="${color}"`);
	},
);

test.each([
	["a narrow letter", "i"],
	["a bracket and a full stop", "Ada (M.)"],
	["wide letters", "WWW"],
	["CJK characters", "\u2e80\u2e81"],
	["24 wide letters", "W".repeat(24)],
])("the badge for a name with %s equals the recorded picture", (_, label) => {
	const message = "available";
	expect(drawBadge({ label, message, color: "#0b6170" })).toMatchSnapshot();
});

describe("a badge", () => {
	beforeEach(async () => expect(await shown()).toBe("Ada: relaxing"));

	test("changes immediately after a check-out and after a check-in", async () => {
		await resort.checkOut(ada);
		expect(await shown()).toBe("Ada: available");
		await resort.call("POST", "/api/checkin", { key: ada.key });
		expect(await shown()).toBe("Ada: relaxing");
	});

	test('shows "available" as soon as the stay reaches its maximum length, even before a clean-up ends the stay', async () => {
		resort.advance(2 * HOUR_MS - 1);
		expect(await shown()).toBe("Ada: relaxing");
		resort.advance(1);
		expect(await shown()).toBe("Ada: available");
		await resort.sweep();
		expect(await shown()).toBe("Ada: available");
	});
});

test.each([
	["closing tags", "</title><script>alert(1)</script>", "</title><script>alert(1…"],
	["quotes", '"/><image href="x"/>', '"/><image href="x"/>'],
	["direction marks", "\u200Fadnilem\u200E evil", "adnilem evil"],
	["40 combining marks", `e${"\u0301".repeat(40)}`, `e${"\u0301".repeat(4)}`],
	["100 emoji", "\u{1F334}".repeat(100), `${"\u{1F334}".repeat(23)}…`],
])("a badge shows a name with %s as plain text of limited length", async (_, name, label) => {
	const agent = await resort.guest({ name });
	expect(await shown(agent)).toBe(`${label}: relaxing`);
	const tags = (await ask("svg", agent)).text.match(/(?<=<)\w+/g);
	expect(tags?.join(" ")).toBe("svg title clipPath rect g rect rect g text text");
});
