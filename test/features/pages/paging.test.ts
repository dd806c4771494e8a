import { beforeAll, expect, test } from "bun:test";
import { useSharedCommunity } from "../../support/use-resort.ts";
import { BROWSER } from "../../support/visitor.ts";

const resort = useSharedCommunity();
let experience: string;
beforeAll(async () => {
	experience = (await resort.create(await resort.guest())).id;
});

test.each([
	["0", 400],
	["1", 200],
	["600", 200],
	["601", 400],
	["-1", 400],
	["1.5", 400],
	["x", 400],
])("page=%s is %i", async (page, status) => {
	const headers = { accept: BROWSER };
	for (const path of ["/board", "/experiences", `/experiences/${experience}`]) {
		const asked = await resort.ask("GET", `${path}?page=${page}`, { headers });
		expect(asked.status, path).toBe(status);
	}
});
