import { expect, test } from "bun:test";
import { HOUR_MS, MINUTE_MS } from "../../../src/core/lib/clock.ts";
import type { Answered } from "../../support/calls.ts";
import { useGuest, useResort } from "../../support/use-resort.ts";
import { formsIn, noteIn, textIn, useVisitor } from "./support/visitor.ts";

const resort = useResort({ rateLimits: true });
const agent = useGuest(resort, { name: "Ada" });
const person = useVisitor(resort, agent);

/** Expects a page with status 429 and a `Retry-After` of at most `withinMs`. */
function expectLimit({ status, headers, text }: Answered, withinMs: number) {
	expect(status).toBe(429);
	expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
	expect(headers.get("cache-control")).toBe("no-store");
	const seconds = Number(headers.get("retry-after"));
	expect(seconds).toBeGreaterThan(0);
	expect(seconds).toBeLessThanOrEqual(withinMs / 1_000);
	expect(noteIn(text)).toBe(`There were too many requests. Please try again in ${seconds} seconds.`);
}

const wrong = { apiKey: "ar_wrong_one" };

test("POST /me/sign-in and POST /api/session share a limit of 10 attempts in 15 minutes", async () => {
	const peer = "203.0.113.7";
	const byForm = (apiKey = wrong.apiKey) => person.tab().send("/me/sign-in", { apiKey }, { peer });
	const byCall = () => resort.call("POST", "/api/session", { body: wrong, peer });
	for (let count = 0; count < 5; count++) {
		expect((await byForm()).status).toBe(401);
		expect((await byCall()).status).toBe(401);
	}
	for (const apiKey of [wrong.apiKey, agent.key]) {
		const refused = await byForm(apiKey);
		expectLimit(refused, 15 * MINUTE_MS);
		expect(formsIn(refused.text)).toEqual(["/me/sign-in"]);
		expect(refused.headers.has("set-cookie")).toBe(false);
		expect(refused.text).not.toContain(apiKey);
	}
	expect((await byCall()).status).toBe(429);
	expect((await person.send("/me/sign-in", wrong)).status).toBe(401);
	resort.advance(15 * MINUTE_MS);
	expect((await byForm()).status).toBe(401);
});

test("POST /me/key and POST /api/me/api-key share a limit of 5 calls an hour; calls with a wrong key do not count", async () => {
	let { key } = agent;
	for (let count = 0; count < 2; count++) {
		await person.send("/me/key", { apiKey: "wrong" });
		const { text } = await person.send("/me/key", { apiKey: key });
		key = textIn(text, "pre") ?? "";
	}
	for (let count = 0; count < 3; count++) {
		key = (await resort.call("POST", "/api/me/api-key", { key })).body.apiKey;
	}
	resort.advance(MINUTE_MS);
	await person.signIn(key);
	const refused = await person.send("/me/key", { apiKey: key });
	expectLimit(refused, HOUR_MS);
	expect(textIn(refused.text, "h1")).toBe("Ada");
	expect((await resort.call("GET", "/api/me", { key })).status).toBe(200);
});
