/**
 * Malformed messages; `MCP_MESSAGES=200000 npx bun test test/features/mcp/fuzz.test.ts --timeout 3600000`
 * sends more.
 */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { LEAK } from "../../support/answers.ts";
import { Caller } from "../../support/operations.ts";
import { TestResort } from "../../support/resort.ts";
import { ID, KEY, malformedMessage } from "./fuzz-messages.ts";

const MESSAGES = Number(process.env.MCP_MESSAGES ?? 800);
const TIMEOUT_MS = 60_000 + MESSAGES * 20;

/** The maximum growth of memory during the second half of the messages. */
const MAX_GROWTH = 48 * 1024 * 1024;

test(
	`${MESSAGES} malformed messages cause no error, leak nothing and keep no memory`,
	async () => {
		const resort = new TestResort();
		const statuses = new Set<number>();
		const outcomes = new Set<string>();
		const caller = await Caller.create(resort);
		const fill = (text: string) => text.replaceAll(KEY, caller.key).replaceAll(ID, caller.id);

		const isHandled = fc.asyncProperty(malformedMessage, async (drawn) => {
			const response = await resort.fetch(
				new Request("http://resort.test/mcp", {
					method: drawn.method,
					headers: Object.entries(drawn.headers).map(([name, text]) => [name, fill(text)]),
					body:
						drawn.method === "GET" ? null : typeof drawn.body === "string" ? fill(drawn.body) : drawn.body,
				}),
			);
			const text = await response.text();
			statuses.add(response.status);
			expect(response.status).toBeLessThan(500);
			expect(text).not.toMatch(LEAK);
			if (text === "") return;
			const type = response.headers.get("content-type");
			const json = type === "text/event-stream" ? text.split("data: ")[1] : text;
			const { error, result } = JSON.parse(json ?? "");
			expect((error === undefined) !== (result === undefined)).toBe(true);
			outcomes.add(error?.code ?? (result.isError ? "refused" : "done"));
			if (!result?.isError) return;
			const refusal = JSON.parse(result.content[0].text);
			expect(refusal.error).not.toBe("Internal error");
			expect(refusal.tool).toMatch(/^[a-z_]+$/);
		});
		const held: number[] = [];
		for (let half = 0; half < 2; half++) {
			await fc.assert(isHandled, { numRuns: MESSAGES / 2 });
			Bun.gc(true);
			held.push(process.memoryUsage.rss());
		}
		const [first = 0, second = 0] = held;
		expect(second - first).toBeLessThan(MAX_GROWTH);

		expect([...statuses].sort()).toEqual(expect.arrayContaining([200, 202, 400, 403, 404, 405, 413, 415]));
		expect([...outcomes]).toEqual(expect.arrayContaining(["done", "refused", -32_601, -32_602, -32_700]));
		expect(resort.log.filter(({ level }) => level === "error")).toEqual([]);
		await resort.close();
	},
	TIMEOUT_MS,
);
