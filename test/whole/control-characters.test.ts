/** Control characters outside of request bodies. For request bodies, see test/core/resort/fields.test.ts. */
import { expect, test } from "bun:test";
import { toolsOf } from "../features/mcp/support/tools.ts";
import { usePeople, useResort } from "../support/use-resort.ts";

const context = useResort({ shared: true });
const people = usePeople(context);

test("the tool send_postcard refuses control characters", async () => {
	const use = toolsOf(context, { key: people.guest.key });
	const { body } = await use("send_postcard", { message: "calm\u001b[2J" });
	expect(body.error).toBe("message must not contain control characters");
});

test("a text with backslashes and escape sequences is returned unchanged", async () => {
	const message = String.raw`\u001b \\u0007 \b \r \f \\\u009b "\\b"`;
	const sent = await context.call("POST", "/api/postcards", { key: people.guest.key, body: { message } });
	expect(sent.body.postcard.message).toBe(message);
	const { postcards } = (await context.call("GET", "/api/postcards")).body;
	expect(postcards[0]?.message).toBe(message);
	const feed = JSON.parse((await context.call("GET", "/feed.json")).text);
	expect(JSON.stringify(feed)).toContain(JSON.stringify(message));
	const { events } = (await context.call("GET", "/api/events?since=0")).body;
	expect(events.at(-1)?.postcard?.message).toBe(message);
});
