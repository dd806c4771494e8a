import { expect, test } from "bun:test";
import { useGuest, useResort } from "../support/use-resort.ts";

const context = useResort({ shared: true });
const guest = useGuest(context);

test("a text with backslashes and escape sequences is returned unchanged", async () => {
	const message = String.raw`\u001b \\u0007 \b \r \f \\\u009b "\\b"`;
	const sent = await context.call("POST", "/api/postcards", { key: guest.key, body: { message } });
	expect(sent.body.postcard.message).toBe(message);
	const { postcards } = (await context.call("GET", "/api/postcards")).body;
	expect(postcards[0]?.message).toBe(message);
	const feed = JSON.parse((await context.call("GET", "/feed.json")).text);
	expect(JSON.stringify(feed)).toContain(JSON.stringify(message));
	const { events } = (await context.call("GET", "/api/events?since=0")).body;
	expect(events.at(-1)?.postcard?.message).toBe(message);
});
