import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startResort } from "../../../src/testkit/testing-module/start-resort.ts";
import type { RunningResort } from "../../../src/testkit/testing-module/testing-types.ts";
import { blocksOf, readDocument } from "../../support/documents.ts";
import { executable } from "../../support/executable.ts";
import { ask } from "../../support/visit.ts";

const document = readDocument("docs/ci.md");

/** The answers that the document shows, but for the statuses, which come first. */
const [shownFault, shownCalls] = blocksOf(document, "json")
	.slice(2)
	.map((block) => JSON.parse(block));

let resort: RunningResort;
beforeAll(async () => {
	resort = await startResort({ executable });
});
afterAll(() => resort.stop());

describe("docs/ci.md", () => {
	test("shows what arming a fault answers, and a call", async () => {
		const body = /`POST` with `(\{.*?\})`/.exec(document)?.[1] ?? "";
		await resort.reset();
		const armed = await ask(
			resort.url,
			"POST",
			"/test/faults",
			"",
			JSON.parse(body),
		);
		expect(armed).toEqual(shownFault);
		const [, path = ""] = /"path": "([^"]*)"/.exec(document) ?? [];
		await fetch(resort.url + path);
		const { ok, calls } = await ask(resort.url, "GET", "/test/calls");
		const { at, requestId } = calls[0] ?? {};
		const [call] = shownCalls.calls;
		expect(ok).toBe(shownCalls.ok);
		expect<object>(calls).toEqual([{ ...call, at, requestId }]);
	});
});
