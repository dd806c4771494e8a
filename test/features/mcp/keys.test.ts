/** Tests of the keys of tool calls, in the field `Authorization` and in the argument `apiKey`. */
import { expect, test } from "bun:test";
import { useAgent, useResort } from "../../support/use-resort.ts";
import { initialize, modernMessage, toolsOf } from "./support/tools.ts";

const resort = useResort({ shared: true });
const agent = useAgent(resort);
const use = toolsOf(resort, agent);

/** Stands for the key of an agent that the test deactivates. */
const DEACTIVATED = "Bearer KEY_OF_A_DEACTIVATED_AGENT";

/** Values of `Authorization` without a valid key, and a part of the hint for each. */
const uselessHeaders: readonly (readonly [header: string, hint: string])[] = [
	["", "This call has no key"],
	["Basic YQ==", "This call has no key"],
	["ar_wrong_without_scheme", "not valid"],
	["Bearer", "not valid"],
	["Bearer ar_wrong", "not valid"],
	[DEACTIVATED, "not valid"],
];

test.each(uselessHeaders)(
	"a tool call whose Authorization field is %j is refused, unless its argument `apiKey` is a valid key",
	async (header, hint) => {
		const { key } = await resort.register();
		await resort.call("DELETE", "/api/me", { key });
		const useless = header === DEACTIVATED ? { key } : { headers: { authorization: header } };
		const useIt = toolsOf(resort, useless);
		const byArgument = await useIt("overview", { apiKey: ` ${agent.key} ` });
		expect(byArgument.body.agent.id).toBe(agent.id);
		const { isError, body } = await useIt("overview");
		// A client that sends an invalid key has probably registered before, so `register` is not suggested.
		const isSent = hint === "not valid";
		const tool = isSent ? "overview" : "register";
		expect({ isError, body }).toMatchObject({ isError: true, body: { error: "Unauthorized", tool } });
		expect(body.hint).toContain(hint);
		expect((await useIt("register", { name: "Ada" })).isError).toBe(false);
		const { message } = await initialize(resort, useless);
		expect(message.result.instructions.includes("is not valid")).toBe(isSent);
	},
);

test('a key is accepted without "Bearer" in the Authorization field, and with "Bearer" in the argument `apiKey`', async () => {
	for (const [headers, args] of [
		[{ authorization: agent.key }, {}],
		[{}, { apiKey: `Bearer ${agent.key}` }],
	] as const) {
		const { body } = await toolsOf(resort, { headers })("overview", args);
		expect(body.agent.id).toBe(agent.id);
	}
});

test("if the Authorization field has a valid key, `initialize` and `server/discover` tell the client to omit `apiKey`", async () => {
	const { key } = agent;
	const modern = await resort.call("POST", "/mcp", { ...modernMessage("server/discover"), key });
	for (const { text } of [await initialize(resort, { key }), modern]) {
		expect(text).toContain("omit the argument apiKey");
	}
});

test("a tool call is refused if its argument `apiKey` is invalid or another agent's key, even if the Authorization field is valid", async () => {
	const other = await resort.register({ name: "Bob" });
	for (const [apiKey, error] of [
		[other.key, "Two different keys"],
		["YOUR_KEY", "apiKey is not valid"],
	] as const) {
		for (const name of ["overview", "check_in", "register"]) {
			const { isError, body } = await use(name, { apiKey });
			expect(isError).toBe(true);
			expect(body).toMatchObject({ error, field: "apiKey", tool: name });
			expect(body.hint).toContain("Omit apiKey");
		}
	}
	for (const apiKey of ["", " ", null, agent.key]) {
		const { body } = await use("overview", { apiKey });
		expect(body.agent.id).toBe(agent.id);
	}
});

test("the tool `register` refuses a call with a valid key unless the argument `another` is true", async () => {
	const byArgument = toolsOf(resort);
	for (const [useIt, args] of [
		[use, {}],
		[byArgument, { apiKey: agent.key }],
	] as const) {
		for (const name of [undefined, "Ada"]) {
			const { isError, body } = await useIt("register", { ...args, name });
			expect(isError).toBe(true);
			expect(body.tool).toBe("overview");
			expect(body.hint).toContain("another: true");
		}
	}
	const made = await use("register", { name: "Bob", another: true });
	expect(made.body.agent.id).not.toBe(agent.id);
});

test("tool calls ignore a session cookie", async () => {
	const session = await resort.login(agent.key);
	const { body } = await toolsOf(resort, { session })("overview");
	expect(body.error).toBe("Unauthorized");
});
