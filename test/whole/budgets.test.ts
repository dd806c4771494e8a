/** Tests the sizes of the executable and, in each registration mode, of the texts that agents read first. */
import { describe, expect, test } from "bun:test";
import { statSync } from "node:fs";
import { countTokens } from "gpt-tokenizer";
import { sendMessage } from "../features/mcp/support/tools.ts";
import { expectWithinBudget } from "../support/budgets.ts";
import { executable } from "../support/executable.ts";
import { type Setup, TestResort } from "../support/resort.ts";

const identity = { url: "https://id.test", secrets: ["s".repeat(32)] } as const;

const modes: Readonly<Record<string, Setup>> = {
	open: {},
	invite: { registration: "invite" },
	closed: { registration: "closed" },
	provider: { identity },
};

/** A typical address of a resort. */
const PUBLIC = "https://resort.example";
/** A local address. It takes more tokens than {@link PUBLIC}. */
const LOCAL = "http://127.0.0.1:65535";

const paths = [
	["/api/skill", LOCAL],
	["/api/quickstart", PUBLIC],
	["/heartbeat.md", LOCAL],
	["/llms.txt", LOCAL],
] as const;

describe.each(Object.entries(modes))("a resort with the registration mode %p", (mode, setup) => {
	test.each(paths)("keeps the text of %s within its budget of tokens", async (path, baseUrl) => {
		await using resort = new TestResort({ ...setup, baseUrl });
		const { status, text } = await resort.call("GET", path);
		expect(status).toBe(200);
		expectWithinBudget(path, countTokens(text), mode);
	});

	test("keeps the response to `tools/list` (MCP) within its budgets of tokens and bytes", async () => {
		await using resort = new TestResort({ ...setup, baseUrl: LOCAL });
		const text = JSON.stringify((await sendMessage(resort, "tools/list")).message.result);
		expectWithinBudget("tools/list", countTokens(text), mode);
		expectWithinBudget("tools/list in bytes", Buffer.byteLength(text), mode);
	});
});

test("the size of the executable is within its budget", () => {
	expectWithinBudget("dist/resort", statSync(executable).size);
});
