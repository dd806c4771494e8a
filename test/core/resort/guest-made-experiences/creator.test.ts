import { describe, expect, test } from "bun:test";
import { expectBrokenBound, expectRefusal } from "../../../support/answers.ts";
import type { CallOptions } from "../../../support/calls.ts";
import { useGuest, useResort } from "../../../support/use-resort.ts";

const context = useResort({ shared: true });
const PATH = "/api/experiences";
const ada = useGuest(context);

const list = (query: string, ask: CallOptions = {}) => context.call("GET", `${PATH}?${query}`, ask);

test.each(["", "ME", "%20me", "me,me", "null"])(
	"GET /api/experiences?creatorId=%s returns 400 with and without a credential",
	async (creatorId) => {
		for (const ask of [{}, { key: ada.key }, { key: "nobody's" }]) {
			const answer = await list(`creatorId=${creatorId}`, ask);
			expectBrokenBound(answer, "creatorId");
			expect(answer.body.error).toStartWith("creatorId must be a UUID, or me");
		}
	},
);

describe("GET /api/experiences?creatorId=me", () => {
	test("returns 401 without a valid credential, even if another parameter is invalid", async () => {
		for (const query of ["creatorId=me", "creatorId=me&limit=0"]) {
			for (const ask of [
				{},
				{ key: "" },
				{ key: "nobody's" },
				{ session: "nobody's" },
				{ headers: { authorization: "Basic eDp5" } },
			]) {
				expectRefusal(await list(query, ask), 401, "Unauthorized");
			}
		}
		const url = `http://resort.test${PATH}?creatorId=me`;
		const head = await context.fetch(new Request(url, { method: "HEAD" }));
		expect(head.status).toBe(401);
	});

	test("sends no CORS header field, not even with a 401", async () => {
		const session = await context.login(ada.key);
		const headers = { origin: "https://elsewhere.test" };
		for (const ask of [{ session, headers }, { headers }, { key: ada.key }]) {
			const answer = await list("creatorId=me", ask);
			expect(answer.headers.has("access-control-allow-origin")).toBe(false);
			expect(answer.headers.get("cache-control")).toBe("no-store");
			expect(answer.headers.has("etag")).toBe(false);
		}
		for (const query of [`creatorId=${ada.id}`, "creatorId=ME", ""]) {
			const { headers } = await list(query);
			expect(headers.get("access-control-allow-origin")).toBe("*");
		}
	});
});
