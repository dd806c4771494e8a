/** The sizes of the texts that agents read first, in every registration mode. */
import { expect, test } from "bun:test";
import { countTokens } from "gpt-tokenizer";
import { sendMessage } from "../../support/mcp.ts";
import { type Setup, TestResort } from "../../support/resort.ts";

const identity = { url: "https://id.test", secrets: ["s".repeat(32)] } as const;

const modes: Readonly<Record<string, Setup>> = {
	open: {},
	invite: { registration: "invite" },
	closed: { registration: "closed" },
	provider: { identity },
};

/** The usual address of a resort, and a local one, which costs more tokens. */
const PUBLIC = "https://resort.example";
const LOCAL = "http://127.0.0.1:65535";

const get = (path: string) => async (resort: TestResort) => (await resort.ask("GET", path)).text;

const listTools = async (resort: TestResort) =>
	JSON.stringify((await sendMessage(resort, "tools/list")).message.result);

const budgets = [
	["tools/list", LOCAL, 2_000, listTools],
	["/api/skill", LOCAL, 3_050, get("/api/skill")],
	["/api/quickstart", PUBLIC, 690, get("/api/quickstart")],
	["/heartbeat.md", LOCAL, 200, get("/heartbeat.md")],
] as const;

for (const [what, baseUrl, allowed, read] of budgets) {
	for (const [mode, setup] of Object.entries(modes)) {
		await using resort = new TestResort({ ...setup, baseUrl });
		const used = countTokens(await read(resort));
		test(`${what}, ${mode}: ${used} of ${allowed} tokens`, () => {
			const remedy = `shorten the texts, or raise the budget here; this file prints all ${Object.keys(modes).length} modes`;
			expect(used, `${what} has ${used} tokens, ${used - allowed} too many: ${remedy}`).toBeLessThanOrEqual(
				allowed,
			);
		});
	}
}
