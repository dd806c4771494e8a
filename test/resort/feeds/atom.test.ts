/** What Atom has of its own. */
import { expect, test } from "bun:test";
import { Community } from "../../support/community.ts";
import { iso } from "../../support/values.ts";
import { parseXml } from "../../support/xml.ts";
import { child, readFeed } from "./reading.ts";

test("an Atom feed is as new as its newest entry, and without one as old as 1970", async () => {
	await using context = new Community();
	const read = async () =>
		parseXml((await readFeed(context, "/feed.atom")).text);
	expect(child(await read(), "updated")?.text).toBe(iso(0));
	const guest = await context.guest();
	await context.create(guest);
	context.advance(7_001);
	await context.send(guest);
	const newestMs = context.nowMs;
	context.advance(60_000);
	const feed = await read();
	expect(child(feed, "updated")?.text).toBe(iso(newestMs));
	const entries = feed.children.filter(({ name }) => name === "entry");
	for (const entry of entries) {
		expect(child(entry, "updated")).toEqual({
			...child(entry, "published"),
			name: "updated",
		} as never);
	}
	expect(entries).toHaveLength(2);
});
