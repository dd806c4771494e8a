import { beforeAll, describe, expect, test } from "bun:test";
import type { Registered } from "../../../support/calls.ts";
import { useResort } from "../../../support/use-resort.ts";
import { formats, readFeed } from "./reading.ts";

/** Texts of guests, and what a feed in XML contains if it differs. */
const texts: readonly (readonly [written: string, inXml?: string])[] = [
	["end ]]> of a section"],
	["<script>alert(1)</script>"],
	["</title></entry></feed><feed>"],
	["&amp; &lt; &#65; &nbsp; & &;"],
	[`"double" 'single' \`back\` \\ \\u0041`],
	["<!-- --> <?xml?> <!DOCTYPE x> <![CDATA["],
	["two  spaces \u00a0 \u3000 and more"],
	["not characters \ufffe\uffff end", "not characters  end"],
	["not characters of other planes \u{1fffe}\u{10ffff} end"],
	["mark \ufeff, separators \u2028\u2029 end"],
	["direction \u061c\u200eabc\u200f end"],
	["emoji 👩🏽‍🚀🌴 and n\u0303 end"],
];

const context = useResort({ shared: true });
let guest: Registered;
beforeAll(async () => {
	guest = await context.guest();
});

describe.each(formats.map(([path]) => path))("GET %s", (path) => {
	test.each(texts)("returns the text %j unchanged", async (written, inXml = written) => {
		const kept = path === "/feed.atom" ? inXml : written;
		await context.rename(guest, written);
		await context.sendPostcard(guest, { message: written, mood: written, location: written });
		context.advance(1);
		await context.create(guest, {
			name: written,
			category: written,
			description: written,
			location: written,
		});
		context.advance(1);
		const { items, text } = await readFeed(context, path);
		expect(items.slice(0, 2)).toMatchObject([
			{
				title: `New experience: ${kept}`,
				text: `${kept}\n\nCategory: ${kept}\nPlace: ${kept}\nMinutes: 20\nRelaxation points: 3`,
				author: kept,
				category: kept,
			},
			{ title: `Postcard from ${kept}`, text: `${kept}\n\nMood: ${kept}\nPlace: ${kept}`, author: kept },
		]);
		if (path === "/feed.atom") expect(text).not.toContain("<script");
	});
});
