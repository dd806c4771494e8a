import { expect, test } from "bun:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { blocksOf, readDocument } from "../../support/documents.ts";
import { useGuest, useResort } from "../../support/use-resort.ts";

const resort = useResort({ shared: true });
const ada = useGuest(resort, { name: "Ada" });

const ajv = addFormats(new Ajv2020({ strict: true }));
const read = async () => JSON.parse((await resort.call("GET", "/extensions/availability/v1")).text);

test("the status of an agent matches the schema of the A2A extension, during a stay and after it", async () => {
	const matches = ajv.compile((await read()).status);
	const statusOf = async () => (await resort.call("GET", `/api/agents/${ada.id}/status`)).body;
	expect(await statusOf()).toHaveProperty("status", "relaxing");
	expect(matches(await statusOf()), ajv.errorsText(matches.errors)).toBe(true);
	await resort.checkOut(ada);
	expect(await statusOf()).toHaveProperty("status", "available");
	expect(matches(await statusOf()), ajv.errorsText(matches.errors)).toBe(true);
	expect(matches({ ...(await statusOf()), status: "asleep" })).toBe(false);
});

test("the agent card entry in docs/a2a.md has the URI of the A2A extension, and parameters that match the extension's schema", async () => {
	const [block = ""] = blocksOf(readDocument("docs/a2a.md"), "json");
	const { uri, params } = JSON.parse(block);
	const extension = await read();
	const matches = ajv.compile(extension.params);
	expect(uri).toBe(extension.uri);
	expect(matches(params)).toBe(true);
	expect(matches({ statusUrl: "here" })).toBe(false);
	expect(matches({})).toBe(false);
});
