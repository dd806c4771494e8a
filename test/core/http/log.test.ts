import { expect, test } from "bun:test";
import { createApiKey } from "../../../src/core/lib/credential.ts";
import { systemRandom } from "../../../src/core/lib/random.ts";
import { useSharedResort } from "../../support/use-resort.ts";

// The ids of this resort do not match the schema of responses.
const broken = useSharedResort({ random: { ...systemRandom, uuid: () => "no-uuid" } });

test("a response that does not match its schema is 500, and the log contains the path of the field and no value", async () => {
	const { status, text, headers } = await broken.ask("POST", "/api/agents", {
		body: { name: "Ada", bio: "Not for the log." },
	});
	expect({ status, text }).toEqual({ status: 500, text: '{"error":"Internal error"}' });
	const [line] = broken.log;
	expect(line?.properties).toMatchObject({
		method: "POST",
		route: "/api/agents",
		requestId: headers.get("x-request-id"),
	});
	expect(JSON.stringify(line?.properties)).toContain("/agent/id");
	expect(JSON.stringify(broken.log)).not.toMatch(/ar_[0-9A-Za-z]|Not for the log/);
});

test("an X-Request-Id that is a key is replaced", async () => {
	const { apiKey } = createApiKey(systemRandom);
	const idFor = async (given: string) => {
		const { headers } = await broken.ask("GET", "/api/health", { headers: { "x-request-id": given } });
		return headers.get("x-request-id");
	};
	expect(await idFor(`${apiKey}0`)).toBe(`${apiKey}0`);
	expect(await idFor(apiKey)).toMatch(/^[0-9a-f-]{36}$/);
});
