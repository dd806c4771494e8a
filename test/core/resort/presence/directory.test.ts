import { beforeEach, describe, expect, test } from "bun:test";
import { HOUR_MS } from "../../../../src/core/lib/clock.ts";
import type { Registered } from "../../../support/calls.ts";
import { useResort } from "../../../support/use-resort.ts";
import { namesOf } from "../../../support/values.ts";

const context = useResort({ maxStayMs: HOUR_MS });
const path = "/api/agents";
const list = (query = "") => context.call("GET", path + query);
const namesIn = async (query = "") => (await list(query)).body.agents.map(({ name }) => name);

let ada: Registered;

beforeEach(async () => {
	ada = await context.guest({ name: "Ada Lovelace", bio: "Counts." });
	await context.checkOut(ada);
	await context.register({ name: "Never here" });
	for (const name of ["Grace", "100%_\\", "ADAM"]) {
		await context.guest({ name });
	}
});

describe("GET /api/agents", () => {
	test("lists the agents that have ever checked in, newest stay first", async () => {
		const { status, body } = await list();
		expect([status, namesOf(body)]).toEqual([200, "agents ok"]);
		expect(await namesIn()).toEqual(["ADAM", "100%_\\", "Grace", "Ada Lovelace"]);
		const entry = { id: ada.id, name: "Ada Lovelace", bio: "Counts." };
		expect<unknown>(body.agents.at(-1)).toEqual({ ...entry, status: "available", stays: 1 });
		await context.call("POST", "/api/checkin", { key: ada.key });
		const [first] = (await list()).body.agents;
		expect<unknown>(first).toEqual({ ...entry, status: "relaxing", stays: 2 });
	});

	test("filters by status, also after stays have become overdue", async () => {
		expect(await namesIn("?status=available")).toEqual(["Ada Lovelace"]);
		expect(await namesIn("?status=relaxing")).toHaveLength(3);
		expect(await namesIn("?status=relaxing&search=ada")).toEqual(["ADAM"]);
		expect(await namesIn("?status=available&search=ada")).toEqual(["Ada Lovelace"]);
		context.advance(HOUR_MS);
		expect(await namesIn("?status=relaxing")).toEqual([]);
		expect(await namesIn("?status=relaxing&search=ada")).toEqual([]);
		expect(await namesIn("?status=available&search=ada")).toHaveLength(2);
		expect(await namesIn("?status=available")).toHaveLength(4);
	});

	// The search finds parts of names, ignoring the case of ASCII letters.
	test.each([
		["ada", ["ADAM", "Ada Lovelace"]],
		["LACE", ["Ada Lovelace"]],
		["a l", ["Ada Lovelace"]],
		["grace", ["Grace"]],
		["%_", ["100%_\\"]],
		["_\\", ["100%_\\"]],
		["%%", []],
		["Never here", []],
	])("with `search=%s` lists the names %j", async (search, names) => {
		expect(await namesIn(`?search=${encodeURIComponent(search)}`)).toEqual(names);
	});

	test("returns one page and the path of the next, with and without `search`", async () => {
		for (const search of ["", "&search=ada"]) {
			const { body } = await list(`?limit=1${search}`);
			expect(body.agents.map(({ name }) => name)).toEqual(["ADAM"]);
			const next = String(body.next);
			expect(next).toBe(`/api/agents?limit=1&offset=1${search}`);
			const second = await context.call("GET", next);
			expect(second.body.agents).toHaveLength(1);
		}
		expect((await list("?limit=1&offset=3")).body.next).toBeUndefined();
	});

	test("lists new names immediately, and omits deactivated agents", async () => {
		await namesIn();
		await context.call("PATCH", "/api/me", { key: ada.key, body: { name: "Countess" } });
		expect(await namesIn()).toContain("Countess");
		expect(await namesIn("?search=countess")).toEqual(["Countess"]);
		await context.call("DELETE", "/api/me", { key: ada.key });
		expect(await namesIn()).not.toContain("Countess");
		expect(await namesIn("?search=countess")).toEqual([]);
	});

	test.each([
		[1, 400],
		[2, 200],
		[100, 200],
		[101, 400],
	])("with a `search` of %d characters returns %d", async (length, status) => {
		expect((await list(`?search=${"a".repeat(length)}`)).status).toBe(status);
	});
});
