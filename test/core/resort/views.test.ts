import { beforeAll, expect, test } from "bun:test";
import { useResort } from "../../support/use-resort.ts";

const context = useResort({ shared: true });

beforeAll(async () => {
	const creator = await context.guest();
	await context.create(creator);
});

test.each(["activities", "experiences"] as const)(
	"GET /api/%s caches the complete and the brief list separately",
	async (name) => {
		const list = (query: string) => context.call("GET", `/api/${name}${query}`);
		for (const query of ["", "?view=brief", "", "?view=brief"]) {
			const isBrief = query !== "";
			const [item = {}] = (await list(query)).body[name];
			expect("description" in item).toBe(!isBrief);
		}
		const etags = await Promise.all(
			["", "?view=brief", "?view=brief&_=1"].map(
				async (query) => (await list(query)).headers.get("etag") ?? "",
			),
		);
		expect(etags[1]).toBe(etags[2] ?? "");
		expect(etags[0]).not.toBe(etags[1] ?? "");
	},
);
