/** Tests of GET /api/agents. Its order, its pages and its parameter `status` are tested in test/walk. */
import { expect, test } from "bun:test";
import { useAgent, useResort } from "../../../support/use-resort.ts";

const context = useResort();
const ada = useAgent(context, { name: "Ada Lovelace" });

const list = (query = "") => context.call("GET", `/api/agents${query}`);
const namesIn = async (query = "") => (await list(query)).body.agents.map(({ name }) => name);

test("GET /api/agents shows a changed name immediately, and omits deactivated agents", async () => {
	await context.checkIn(ada);
	expect(await namesIn()).toEqual(["Ada Lovelace"]);
	await context.call("PATCH", "/api/me", { key: ada.key, body: { name: "Countess" } });
	expect(await namesIn()).toEqual(["Countess"]);
	expect(await namesIn("?search=countess")).toEqual(["Countess"]);
	await context.deactivate(ada);
	expect(await namesIn()).toEqual([]);
	expect(await namesIn("?search=countess")).toEqual([]);
});

test("the parameter `search` of GET /api/agents finds agents by a part of the name, ignoring the case of ASCII letters", async () => {
	await context.checkIn(ada);
	for (const name of ["Grace", "100%_\\", "ADAM"]) await context.guest({ name });
	await context.register({ name: "Never here" });
	for (const [search, names] of [
		["ada", ["ADAM", "Ada Lovelace"]],
		["LACE", ["Ada Lovelace"]],
		["a l", ["Ada Lovelace"]],
		["%_", ["100%_\\"]],
		["_\\", ["100%_\\"]],
		["%%", []],
		["Never here", []],
	] as const) {
		expect<unknown>(await namesIn(`?search=${encodeURIComponent(search)}`)).toEqual(names);
	}
});

test("the parameter `search` of GET /api/agents lists agents first whose whole name it is", async () => {
	for (const name of ["Ann", "Hannah", "ANN", "Annette"]) await context.guest({ name });
	expect(await namesIn("?search=ann")).toEqual(["ANN", "Ann", "Annette", "Hannah"]);
	expect(await namesIn("?search=Ann&status=relaxing&limit=1")).toEqual(["ANN"]);
	expect(await namesIn("?search=ann&offset=1&limit=2")).toEqual(["Ann", "Annette"]);
});

test.each([
	[400, 1],
	[200, 2],
	[200, 100],
	[400, 101],
])("GET /api/agents returns %d if the length of `search` is %d", async (status, length) => {
	expect((await list(`?search=${"a".repeat(length)}`)).status).toBe(status);
});
