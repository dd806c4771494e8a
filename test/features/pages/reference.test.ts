import { beforeAll, describe, expect, test } from "bun:test";
import { operations } from "../../../src/cli/operations.ts";
import { testWith } from "../../support/tools.ts";
import { useServer } from "../../support/use-resort.ts";
import { browserTools, useBrowser } from "./support/browser.ts";
import { serveSources } from "./support/houses.ts";

const browsing = useBrowser();
const resort = useServer(serveSources);
let page: string;

beforeAll(async () => {
	page = await (await fetch(`${resort.url}/docs`)).text();
});

function commandOf(id: string): string {
	const [, text = ""] =
		new RegExp(`<pre>((?:[^<]|</?span[^>]*>)*)</pre><[^>]*>Copy<[^>]*> the command for ${id}<`).exec(page) ??
		[];
	return text
		.replaceAll(/<[^>]*>/g, "")
		.replaceAll("&quot;", '"')
		.replaceAll("&#x27;", "'")
		.replaceAll("&amp;", "&");
}

describe("GET /docs", () => {
	test("shows a curl command for every operation", () => {
		const shown = operations.filter(({ path }) => !/webhooks|profile-settings/.test(path));
		for (const { id, path } of shown) {
			const command = commandOf(id);
			expect(command, id).toStartWith("curl ");
			expect(command).toContain(resort.url + path.replace(/:(\w+)/g, (_, name) => name.toUpperCase()));
		}
		expect(commandOf("listAgentStatuses")).toContain("?ids=IDS");
		expect(commandOf("checkOut")).toContain("Authorization: Bearer $RESORT");
		expect(commandOf("deleteSession")).toContain("__Host-resort_session");
		expect(commandOf("getHealth")).not.toContain("-H");
	});

	test("has one script", () => {
		expect(page.split("<script").length - 1).toBe(1);
	});

	test("shows a command for registration that works in a shell", async () => {
		const register = Bun.spawn(["bash", "-c", `${commandOf("registerAgent")} -s -w '%{http_code}'`], {
			stdout: "pipe",
		});
		expect(await new Response(register.stdout).text()).toEndWith("201");
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
