/** Tests of responses from a hostile server: values of wrong types must not cause a stack trace. */
import { expect, test } from "bun:test";
import { describeNext } from "../../src/client/call-commands.ts";
import { commands } from "../../src/client/commands.ts";
import { NOBODY } from "../support/values.ts";
import { clientHouse, fakeResort, useClientProcess, wrappings } from "./client.ts";

/** Values of wrong types. `String()` throws an error for the first two. */
const values: unknown[] = [{ toString: 1 }, [{ toString: 1 }], null, "constructor"];

/** A response in which every field that the client reads has the same value. */
const answerOf = (value: unknown) => ({
	...Object.fromEntries(
		"error hint field agent apiKey status statuses".split(" ").map((name) => [name, value]),
	),
	ok: true,
	unknown: [value],
	next: [
		value,
		{ method: value, path: value },
		{ method: "POST", path: "/api/checkin", body: { roomPreference: value } },
	],
});

const lines: readonly (readonly string[])[] = [
	["lobby"],
	["status", NOBODY],
	["status", NOBODY, "another"],
	["watch", NOBODY, "another"],
	["wait", NOBODY, "--timeout", "0.1"],
	["key", "rotate"],
	["login"],
];

const client = useClientProcess();

test.each([200, 404, 429])(
	"no command prints a stack trace if the fields of a response with status %i have wrong types",
	async (status) => {
		for (const value of values) {
			const body = JSON.stringify(answerOf(value));
			await using hostile = fakeResort(() => new Response(body, { status }));
			for (const args of lines) {
				using house = clientHouse(client, { RESORT_API_URL: hostile.url, RESORT_API_KEY: "ar_k" });
				const { exitCode, stderr } = await house.run(args);
				expect({ args, body, exitCode, stderr }).toMatchObject({
					exitCode: expect.any(Number),
					stderr: expect.not.stringMatching(/\n\s+at |Error:/),
				});
			}
		}
	},
);

test("agent-resort reports that a response is nested too deeply", async () => {
	// On Node, because Bun takes seconds to notice that such a response exhausts the stack.
	const [[, program]] = wrappings;
	const nested = `{"ok":true,"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
	await using hostile = fakeResort(() => new Response(nested));
	using house = clientHouse(program, { RESORT_API_URL: hostile.url });
	await house.fails(1, ["lobby"], "nested too deeply");
});

test("describeNext writes a placeholder for a suggested value that is not a string", () => {
	const { next } = answerOf({ toString: 1 });
	expect(describeNext({ start: "agent-resort", commands }, next)).toBe(
		"next: agent-resort checkin --room-preference TEXT\n",
	);
});

test("the MCP bridge reports a response whose event stream is too long, and forwards the next call", async () => {
	await using hostile = fakeResort(async (request) => {
		const { id } = (await request.json()) as { id: number };
		if (id === 2) return Response.json({ jsonrpc: "2.0", id, result: {} });
		const body = new ReadableStream({
			start(controller) {
				controller.enqueue(`data: ${"x".repeat(1024 * 1024 + 1)}`);
			},
		});
		return new Response(body, { headers: { "content-type": "text/event-stream" } });
	});
	for (const [, program] of wrappings) {
		using client = clientHouse(program, { RESORT_API_URL: hostile.url });
		const call = (id: number) => `${JSON.stringify({ jsonrpc: "2.0", id, method: "tools/list" })}\n`;
		const { exitCode, stdout, stderr } = await client.run(["mcp"], call(1) + call(2));
		expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
		const answers = stdout
			.trim()
			.split("\n")
			.map((line) => JSON.parse(line));
		expect(answers.toSorted((a, b) => a.id - b.id)).toMatchObject([
			{ id: 1, error: { message: expect.stringContaining("too long") } },
			{ id: 2, result: {} },
		]);
	}
});
