/** The pictures of link previews, and the icons of apps. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { ResortError } from "../../src/lib/resort-error.ts";
import {
	drawAgent,
	drawExperience,
	drawPostcard,
	drawResort,
} from "../../src/web/share-pictures/compositions.ts";
import { Painter } from "../../src/web/share-pictures/painter.ts";
import { drawableText } from "../../src/web/share-pictures/text-lines.ts";
import { useSharedCommunity, useSharedGuest } from "../support/use-resort.ts";
import { hostileText, TEXTS } from "../support/web/hostile-texts.ts";
import { parseXml } from "../support/xml.ts";

const resort = useSharedCommunity();
const ada = useSharedGuest(resort, { name: "Ada" });
let experience: string;
let postcard: string;
beforeAll(async () => {
	experience = (await resort.create(ada)).id;
	postcard = (await resort.send(ada)).id;
});

async function read(path: string) {
	const request = new Request(`http://resort.test${path}`);
	const response = await resort.fetch(request);
	return { response, bytes: Buffer.from(await response.arrayBuffer()) };
}

function sizeOf(png: Buffer): [width: number, height: number] {
	expect(png.subarray(1, 4).toString()).toBe("PNG");
	return [png.readUInt32BE(16), png.readUInt32BE(20)];
}

describe("a picture", () => {
	test.each([
		["of the house", () => "/social.png"],
		["of an agent", () => `/agents/${ada.id}/social.png`],
		["of an experience", () => `/experiences/${experience}/social.png`],
		["of a postcard", () => `/postcards/${postcard.toUpperCase()}/social.png`],
	])("%s is a PNG of 1200 by 630, and revalidated", async (_, path) => {
		const { response, bytes } = await read(path());
		expect(response.status).toBe(200);
		expect(response.headers.get("content-type")).toBe("image/png");
		expect(response.headers.get("cache-control")).toBe("public, max-age=300");
		expect(sizeOf(bytes)).toEqual([1200, 630]);
		expect(bytes.length).toBeLessThan(150 * 1024);
		const etag = response.headers.get("etag") ?? "";
		const headers = { "if-none-match": etag };
		expect((await resort.ask("GET", path(), { headers })).status).toBe(304);
	});

	test("follows the events of what it shows", async () => {
		const grace = await resort.guest({ name: "Grace" });
		const path = `/agents/${grace.id}/social.png`;
		const before = await read(path);
		const house = await read("/social.png");
		await resort.rename(grace, "Admiral");
		expect((await read(path)).bytes.equals(before.bytes)).toBe(false);
		await resort.deactivate(grace);
		expect((await read(path)).response.status).toBe(404);
		expect((await read("/social.png")).bytes.equals(house.bytes)).toBe(false);
	});

	test("is 404 where the page is", async () => {
		const grace = await resort.guest();
		const { id } = await resort.send(ada, { recipientId: grace.id });
		for (const path of [`/postcards/${id}`, "/postcards/x", "/agents/x", `/experiences/${grace.id}`]) {
			expect((await read(`${path}/social.png`)).response.status).toBe(404);
		}
	});
});

test.each([
	["/apple-touch-icon.png", 180],
	["/icon-512.png", 512],
])("%s has %i pixels on each side", async (path, size) => {
	expect(sizeOf((await read(path)).bytes)).toEqual([size, size]);
});

describe("the text of a picture", () => {
	test("that is a name is left out if the font lacks one of its characters", () => {
		for (const name of ["Ada", "Zoë Łęcka", "Ελένη", "Олена", "Trần", "e\u0301"]) {
			const text = name.normalize("NFC");
			expect(drawAgent({ id: ada.id, name })).toContain(`>${text}<`);
		}
		for (const name of ["海", "Ada 🌊", "שלום", "مرحبا", "Z\u0301\u0327", "\u200b"]) {
			expect(drawableText(name), name).toBeNull();
			expect(drawAgent({ id: ada.id, name })).toContain(">A guest<");
		}
	});

	test.each([
		["High tide 🌊👩‍🚀", "High tide"],
		["Tide → 4 ✓ done", "Tide 4 done"],
		["Back in 永 tea", "Back in tea"],
		["e\u0301 \u200b e", "é e"],
		["10 ✓", "10"],
		["abc海海海", "abc"],
		["ab海海海", "Greetings!"],
		["5 海", "Greetings!"],
		["שלום", "Greetings!"],
		["→ .", "Greetings!"],
		["🌊", "Greetings!"],
	])("of the postcard %j is %j", (message, shown) => {
		const card = { senderId: ada.id, senderName: "海", senderGoneAt: null };
		const svg = drawPostcard({ ...card, message });
		expect(svg).toContain(`>${shown}<`);
		expect(svg).not.toContain("海");
	});

	test("of a postcard whose sender is gone shows no name", () => {
		const sender = { senderId: ada.id, senderName: "Ada", senderGoneAt: 1 };
		const svg = drawPostcard({ ...sender, message: "Low tide." });
		expect(svg).toContain(">from agent-resort<");
	});

	test("of an agent is the same whether the agent is a guest", async () => {
		const grace = await resort.guest({ name: "Grace" });
		const path = `/agents/${grace.id}/social.png`;
		const before = await read(path);
		await resort.checkOut(grace);
		expect((await read(path)).bytes.equals(before.bytes)).toBe(true);
	});

	test("cannot break the picture", () => {
		for (let at = 0; at < TEXTS; at++) {
			const text = hostileText(at);
			const gone = { creatorGoneAt: null, senderGoneAt: null };
			for (const svg of [
				drawResort(at),
				drawAgent({ id: ada.id, name: text }),
				drawExperience({
					...gone,
					id: "x",
					name: text,
					categoryKey: text,
					creatorName: text,
				}),
				drawPostcard({
					...gone,
					message: text,
					senderId: "x",
					senderName: text,
				}),
			]) {
				const { namespace } = parseXml(svg);
				expect(namespace).toBe("http://www.w3.org/2000/svg");
				expect(svg).not.toContain("var(");
				expect(svg).not.toMatch(/<(script|image|foreignObject|a)\b/);
			}
		}
	});
});

describe("the painter", () => {
	const painter = new Painter();
	afterAll(() => painter.close());
	const svg = (size: number) => `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="1"/>`;

	test("draws a picture once, and others in turn", async () => {
		const first = painter.draw(svg(1), "a");
		const second = painter.draw(svg(2), "a");
		expect(await painter.draw(svg(1), "b")).toBe(await first);
		expect(sizeOf(Buffer.from(await second))).toEqual([2, 1]);
		expect(await painter.draw(svg(1), "c")).toBe(await first);
	});

	test("goes on after a picture that cannot be drawn", async () => {
		expect(painter.draw("<svg", "a")).rejects.toThrow("was not drawn");
		const png = await painter.draw(svg(3), "a");
		expect(sizeOf(Buffer.from(png))).toEqual([3, 1]);
		painter.close();
		expect(await painter.draw(svg(4), "a")).toBeInstanceOf(Uint8Array);
	});

	test("refuses the newest of too many that wait, of the address that has most", async () => {
		const crowd = Array.from({ length: 101 }, (_, at) =>
			painter.draw(svg(100 + at), "crowded").catch((error) => error),
		);
		const single = painter.draw(svg(99), "single");
		expect(await single).toBeInstanceOf(Uint8Array);
		const results: (ResortError | Uint8Array)[] = await Promise.all(crowd);
		const refused = results.findIndex((result) => result instanceof Error);
		expect(refused).toBe(100);
		expect(results[refused]).toMatchObject({
			code: "unavailable",
			details: { retryAfterSeconds: 5 },
		});
	});
});
