import { beforeAll, describe, expect, test } from "bun:test";
import { createDocument } from "../../src/guide/openapi.ts";
import { useSharedCommunity } from "../support/use-resort.ts";
import { namesOf } from "../support/values.ts";

const context = useSharedCommunity();

beforeAll(async () => {
	const creator = await context.guest();
	await context.create(creator);
});

const common = "category durationMinutes id name relaxationPoints";

describe.each([
	["activities", "/api/activities", common],
	["experiences", "/api/experiences", `avgRating ${common}`],
] as const)("GET %s", (name, path, names) => {
	const list = (query: string) => context.ask("GET", `${path}${query}`);

	test("keeps both forms ready, each by itself", async () => {
		for (const query of ["", "?view=brief", "", "?view=brief"]) {
			const isBrief = query !== "";
			const [item = {}] = (await list(query)).body[name];
			expect("description" in item).toBe(!isBrief);
		}
		const etags = await Promise.all(
			["", "?view=brief", "?view=brief&x=1"].map(
				async (query) => (await list(query)).headers.get("etag") ?? "",
			),
		);
		expect(etags[1]).toBe(etags[2] ?? "");
		expect(etags[0]).not.toBe(etags[1] ?? "");
	});

	test("is described in both forms", () => {
		const document = createDocument(context.operations, "http://a.test", null);
		const content =
			document.paths[path]?.get?.responses[200]?.content?.["application/json"];
		const forms = content?.schema.anyOf?.map(({ properties = {} }) => {
			const ref = properties[name]?.items?.$ref ?? "";
			const schema = document.components.schemas[ref.split("/").at(-1) ?? ""];
			return namesOf(schema?.properties ?? {});
		});
		expect(forms).toHaveLength(2);
		expect(forms?.[1]).toBe(names);
		expect(forms?.[0]).toContain("description");
	});
});
