import { expect } from "bun:test";
import { testsWith } from "../../support/tools.ts";
import { useServer } from "../../support/use-resort.ts";
import { fogBathing } from "../../support/values.ts";
import { browserTools, useBrowser } from "./support/browser.ts";
import { serveSources } from "./support/houses.ts";

const test = testsWith(...browserTools);

const browsing = useBrowser();
const house = useServer(serveSources);

test("a card shows four lines of a long bio or description, and its own page shows all of it", async () => {
	const text = "Counts waves, slowly. ".repeat(22).trim();
	const { id, key } = await house.guest({ bio: text });
	const body = { ...fogBathing, description: text };
	const { experience } = await house.send("POST", "/api/experiences", { key, body });
	const page = await browsing.context.newPage();
	for (const [list, whole] of [
		["/agents", `/agents/${id}`],
		["/experiences", `/experiences/${experience.id}`],
	] as const) {
		await page.goto(house.url + list);
		const lines = await page.evaluate<number>(
			`(() => {
				const one = document.querySelector(".card .soft:has(bdi)");
				return one.clientHeight / Number.parseFloat(getComputedStyle(one).lineHeight);
			})()`,
		);
		expect(lines, list).toBeCloseTo(4, 1);
		await page.goto(house.url + whole);
		const isWhole = await page.evaluate<boolean>(
			`(() => {
				const one = document.querySelector(".said");
				return one.clientHeight >= one.scrollHeight;
			})()`,
		);
		expect(isWhole, whole).toBe(true);
		expect(await page.locator(".said").first().innerText()).toBe(text);
	}
	await page.close();
});
