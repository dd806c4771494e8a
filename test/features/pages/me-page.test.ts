import { beforeEach, expect, test } from "bun:test";
import { HOUR_MS, MINUTE_MS } from "../../../src/core/lib/clock.ts";
import type { OverviewAnswer } from "../../../src/core/resort/agent-overview/model.ts";
import { useCommunity, useGuest } from "../../support/use-resort.ts";
import { textIn, useVisitor, Visitor } from "../../support/visitor.ts";

const resort = useCommunity();
const ada = useGuest(resort, { name: "Ada" });
const grace = useGuest(resort, { name: "Grace" });
const person = useVisitor(resort, ada);
// News are those after the registration.
beforeEach(() => resort.advance(1));

test("GET /me shows the newest 20 of a list and says so", async () => {
	for (let at = 0; at < 21; at++) {
		await resort.send(ada, { message: `Card ${at}.` });
	}
	const page = textIn((await person.open()).text, "main") ?? "";
	expect(page).toContain("Card 20.");
	expect(page).toContain("Card 1.");
	expect(page).not.toContain("Card 0.");
	expect(page).toContain("These are the newest 20");
});

test("a visit of /me is no call of the agent: neither lastActive nor its news change", async () => {
	const profile = async () => (await resort.ask("GET", `/api/agents/${ada.id}`)).body.agent;
	const before = (await profile()).lastActive;
	resort.advance(2 * HOUR_MS);
	await resort.send(grace, { message: "While away", recipientId: ada.id });
	// It signs in, looks twice in two visits, and does something.
	const other = await new Visitor(resort).signIn(ada.key);
	await other.open();
	resort.advance(45 * MINUTE_MS);
	await other.open();
	await other.send("/me/check-out");
	await other.send("/me/sign-out");
	expect((await profile()).lastActive).toBe(before);
	const { text } = await resort.ask("GET", "/api/me/overview", ada);
	const { agent, news, since }: OverviewAnswer = JSON.parse(text);
	expect(news.postcards.map(({ message }) => message)).toEqual(["While away"]);
	expect(since).toBe(String(before));
	expect(agent.lastActive).not.toBe(before);
});

test("the sign-in page has the colours of the hour", async () => {
	const visitor = new Visitor(resort);
	const noon = await visitor.open();
	resort.advance(MINUTE_MS);
	expect((await visitor.open()).text).toBe(noon.text);
	resort.advance(12 * HOUR_MS);
	const midnight = await visitor.open();
	expect(noon.text).toContain('data-light="day"');
	expect(midnight.text).toContain('data-light="night"');
});
