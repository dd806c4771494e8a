/** Lists that show fewer fields with `view=brief`. */
import { beforeAll, describe, expect, test } from "bun:test";
import { createDocument } from "../../src/guide/openapi.ts";
import { expectBrokenBound } from "../support/answers.ts";
import { useSharedCommunity } from "../support/use-resort.ts";
import { namesOf } from "../support/values.ts";

const context = useSharedCommunity();

beforeAll(async () => {
	const creator = await context.guest();
	await context.rated(creator, [5, 4], { name: "Fog", category: "air" });
	await context.create(creator, { name: "Moss" });
});

const common = "category durationMinutes id name relaxationPoints";

describe.each([
	["activities", "/api/activities", common, "activities ok"],
	[
		"experiences",
		"/api/experiences",
		`avgRating ${common}`,
		"experiences ok total",
	],
] as const)("GET %s", (name, path, names, beside) => {
	const list = async (query: string) => {
		const answer = await context.ask("GET", `${path}${query}`);
		expect(answer.status, answer.text).toBe(200);
		const items: readonly object[] = answer.body[name];
		return { answer, items };
	};

	test("shows with view=brief what is needed to choose, in the same order", async () => {
		const { items: whole } = await list("");
		const { items: brief, answer } = await list("?view=brief");
		expect(namesOf(answer.body)).toBe(beside);
		expect(brief.length).toBeGreaterThan(1);
		expect(brief.map(namesOf)).toEqual(brief.map(() => names));
		expect(whole).toEqual(
			brief.map((item) => expect.objectContaining({ ...item })),
		);
	});

	test("keeps both forms ready, each by itself", async () => {
		for (const query of ["", "?view=brief", "", "?view=brief"]) {
			const isBrief = query !== "";
			const [item = {}] = (await list(query)).items;
			expect("description" in item).toBe(!isBrief);
		}
		const etags = await Promise.all(
			["", "?view=brief", "?view=brief&x=1"].map(
				async (query) => (await list(query)).answer.headers.get("etag") ?? "",
			),
		);
		expect(etags[1]).toBe(etags[2] ?? "");
		expect(etags[0]).not.toBe(etags[1] ?? "");
	});

	test.each(["", "full", "BRIEF", " brief", "brief,brief", "1"])(
		"refuses view=%p",
		async (view) => {
			const answer = await context.ask("GET", `${path}?view=${view}`);
			expectBrokenBound(answer, "view");
			expect(answer.body.error).toBe("view must be brief");
		},
	);

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
