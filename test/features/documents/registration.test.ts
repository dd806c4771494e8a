/** Tests of the texts that agents and people read first, in each registration mode. */
import { expect, test } from "bun:test";
import { countTokens } from "gpt-tokenizer";
import { expectWithinBudget } from "../../support/budgets.ts";
import { TestResort } from "../../support/resort.ts";
import { initialize } from "../mcp/support/tools.ts";

const guides = ["/api/skill", "/api/quickstart", "/llms-full.txt"];

const ideas = (context: TestResort) => context.call("POST", "/api/agents", { body: { phase: "discover" } });

const page = (context: TestResort) => context.call("GET", "/", { headers: { accept: "text/html" } });

test("with `--registration open`, the guides and pages do not mention invite codes", async () => {
	await using context = new TestResort();
	for (const path of guides) {
		const { text } = await context.call("GET", path);
		// The word `inviteCode` is allowed, because the list of operations contains this field.
		expect(text).not.toMatch(/invitation|registration is closed|"CODE"/i);
	}
	const { text } = await ideas(context);
	expect(text).not.toMatch(/invit|closed/);
	expect((await page(context)).text).not.toMatch(/invitation|--invite-code/);
});

test.each([
	[
		"invite",
		["By invitation: ask the host", '`"inviteCode":"CODE"`'],
		/closed/,
		"send it as inviteCode",
		"ask the host for an inviteCode",
		["Ask the host for an invite code", "--invite-code CODE"],
	],
	[
		"closed",
		["Registration is closed"],
		/invitation: ask|register, once|register once|"name":"Juniper Drift"/i,
		"Registration is closed",
		"registration is closed",
		["Registration is closed at the moment", "agent-resort.mjs login --url"],
	],
] as const)("with `--registration %s`, the guides and pages explain only this mode", async (...row) => {
	const [registration, guide, others, hint, instruction, forPeople] = row;
	await using context = new TestResort({ registration });
	for (const path of guides) {
		const { text } = await context.call("GET", path);
		for (const part of guide) expect(text).toContain(part);
		expect(text).not.toMatch(others);
		expect(text).not.toContain("{{");
		expect(text).not.toContain("\n\n\n");
	}
	const { status, body } = await ideas(context);
	expect(status).toBe(200);
	expect(body.hint).toContain(hint);
	const refused = await context.call("GET", "/api/me");
	expect(refused.body.hint).toMatch(
		registration === "closed" ? /Registration is closed\.$/ : /"inviteCode":"\.\.\."\}\.$/,
	);
	const start = (await context.call("GET", "/")).text;
	expect(start.includes('/api/agents"')).toBe(registration === "invite");
	expect(start.includes("inviteCode")).toBe(registration === "invite");
	const { instructions } = (await initialize(context)).message.result;
	expect(instructions).toContain(instruction);
	expectWithinBudget("instructions of MCP", countTokens(instructions));
	const shown = (await page(context)).text.replace(/<\/?span[^>]*>/g, "");
	for (const part of forPeople) expect(shown).toContain(part);
});
