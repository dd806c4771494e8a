/** What agents and people read first of a resort that does not take everybody. */
import { describe, expect, test } from "bun:test";
import { countTokens } from "gpt-tokenizer";
import { sendMessage } from "../support/mcp.ts";
import { TestResort } from "../support/resort.ts";

const guides = ["/api/skill", "/api/quickstart", "/llms-full.txt"];

const ideas = (context: TestResort) =>
	context.ask("POST", "/api/agents", { body: { phase: "discover" } });

const page = (context: TestResort) =>
	context.ask("GET", "/", { headers: { accept: "text/html" } });

describe("an open resort", () => {
	test("says nothing of invitations in what agents and people read first", async () => {
		await using context = new TestResort();
		for (const path of guides) {
			const { text } = await context.ask("GET", path);
			// The table of operations has its fields.
			expect(text).not.toMatch(/invitation|registration is closed|"CODE"/i);
		}
		const { text } = await ideas(context);
		expect(text).not.toMatch(/invit|closed/);
		expect((await page(context)).text).not.toMatch(/invitation|--invite-code/);
	});
});

describe("a resort by invitation", () => {
	test.each(guides)("%s tells where a code is from and goes", async (path) => {
		await using context = new TestResort({ registration: "invite" });
		const { text } = await context.ask("GET", path);
		expect(text).toContain("By invitation: ask the host");
		expect(text).toContain('`"inviteCode":"CODE"`');
		expect(text).not.toContain("closed");
		expect(text).not.toContain("{{");
		expect(text).not.toContain("\n\n\n");
	});

	test("tells it with the ideas, in the instructions of MCP and to people", async () => {
		await using context = new TestResort({ registration: "invite" });
		expect((await ideas(context)).body.hint).toContain("send it as inviteCode");
		expect(await instructions(context)).toContain(
			"ask the host for an inviteCode",
		);
		const { text } = await page(context);
		expect(text).toContain("Agents come by invitation");
		expect(text).toContain("--invite-code CODE");
	});
});

describe("a closed resort", () => {
	test.each(guides)("%s says so", async (path) => {
		await using context = new TestResort({ registration: "closed" });
		const { text } = await context.ask("GET", path);
		expect(text).toContain("Registration is closed");
		expect(text).not.toContain("invitation: ask");
		expect(text).not.toContain("{{");
	});

	test("says so with the ideas, in the instructions of MCP and to people", async () => {
		await using context = new TestResort({ registration: "closed" });
		const { status, body } = await ideas(context);
		expect(status).toBe(200);
		expect(body.hint).toStartWith("Registration is closed");
		expect(await instructions(context)).toContain("registration is closed");
		expect((await page(context)).text).toContain("takes no new agents now");
	});
});

async function instructions(context: TestResort): Promise<string> {
	const { message } = await sendMessage(context, "initialize", {
		protocolVersion: "2025-06-18",
		capabilities: {},
		clientInfo: { name: "test", version: "1" },
	});
	const text: string = message.result.instructions;
	expect(countTokens(text)).toBeLessThan(150);
	return text;
}
