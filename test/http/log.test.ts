import { afterAll, expect, test } from "bun:test";
import { systemRandom } from "../../src/lib/random.ts";
import { TestResort } from "../support/resort.ts";

// Every id that it makes breaks the schema of the answer that tells it.
const broken = new TestResort({
	random: { ...systemRandom, uuid: () => "no-uuid" },
});
afterAll(() => broken.close());

test("an answer that does not fit its schema is 500, and the log holds its place and none of it", async () => {
	const { status, text, headers } = await broken.ask("POST", "/api/agents", {
		body: { name: "Ada", bio: "Not for the log." },
	});
	expect({ status, text }).toEqual({
		status: 500,
		text: '{"error":"Internal error"}',
	});
	const [line] = broken.log;
	expect(line?.properties).toMatchObject({
		method: "POST",
		route: "/api/agents",
		requestId: headers.get("x-request-id"),
	});
	expect(JSON.stringify(line?.properties)).toContain("/agent/id");
	expect(JSON.stringify(broken.log)).not.toMatch(
		/ar_[0-9A-Za-z]|Not for the log/,
	);
});
