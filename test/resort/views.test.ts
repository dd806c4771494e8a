/** Lists that show fewer fields with `view=brief`. */
import { describe, expect, test } from "bun:test";
import { createDocument } from "../../src/guide/openapi.ts";
import { expectBrokenBound } from "../support/answers.ts";
import { useSharedResort } from "../support/use-resort.ts";
import { namesOf } from "../support/values.ts";

const context = useSharedResort();

const common = "category durationMinutes id name relaxationPoints";

describe.each([
	["activities", "/api/activities", common],
	["experiences", "/api/experiences", `avgRating ${common}`],
] as const)("GET %s", (name, path, names) => {
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
