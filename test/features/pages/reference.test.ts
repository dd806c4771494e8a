import { describe, expect, test } from "bun:test";
import { requireProgram } from "../../support/executable.ts";
import { testWith } from "../../support/tools.ts";
import { useServer } from "../../support/use-resort.ts";
import { browserTools, useBrowser } from "./support/browser.ts";
import { serveSources } from "./support/houses.ts";

const browsing = useBrowser();
const resort = useServer(serveSources);
describe("GET /docs", () => {
	test("shows a command for registration that works in a shell", async () => {
		const page = await (await fetch(`${resort.url}/docs`)).text();
		const [, written = ""] = /id="registerAgent".*?<pre>(.*?)<\/pre>/s.exec(page) ?? [];
		const command = written.replaceAll("&quot;", '"').replaceAll("&#x27;", "'");
		expect(await requireProgram(["bash", "-c", `${command} -s -w '%{http_code}'`])).toEndWith("201");
	});

	testWith(browserTools, "filters the index, the operations and their groups by a text", async () => {
		const tab = await browsing.context.newPage();
		await tab.goto(`${resort.url}/docs`);
		const count = (selector: string) => tab.locator(`${selector}:visible`).count();
		const all = await count(".operation");
		expect(await count(".index li")).toBe(all);
		await tab.fill("#filter", "POST /api/postcards");
		expect(await count(".operation")).toBe(1);
		expect(await count(".index li")).toBe(1);
		expect(await count("section.group")).toBe(1);
		expect(await tab.locator(".filter [role=status]").textContent()).toBe(`1 of ${all}`);
		await tab.fill("#filter", "");
		expect(await count(".operation")).toBe(all);
	});
});
