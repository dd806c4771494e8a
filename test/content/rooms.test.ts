import { describe, expect, test } from "bun:test";
import { roomTypes } from "../../src/content/rooms.ts";

describe("the room types", () => {
	test("are 50", () => {
		expect(roomTypes).toHaveLength(50);
	});

	test("have each a name and a welcome of their own", () => {
		const names = roomTypes.map(({ name }) => name.toLowerCase());
		expect(new Set(names).size).toBe(50);
		expect(new Set(roomTypes.map(({ welcome }) => welcome)).size).toBe(50);
	});

	test.each(roomTypes)(
		"$name: a title, keywords to be found by, a sentence or two of welcome",
		({ name, keywords, welcome }) => {
			expect(name).toMatch(/^\p{Lu}[\p{L}'-]*( \p{Lu}[\p{L}'-]*)*$/u);
			expect(keywords.length).toBeGreaterThanOrEqual(3);
			expect(new Set(keywords).size).toBe(keywords.length);
			for (const keyword of keywords) {
				expect(keyword).toBe(keyword.toLowerCase());
				expect(keyword).toMatch(/^[\p{Ll}\p{N}]+([ '-][\p{Ll}\p{N}]+)*$/u);
			}
			expect(welcome.trim()).toBe(welcome);
			expect(welcome).toMatch(/^\S.{18,398}[.!?]['"’”]?$/u);
		},
	);
});
