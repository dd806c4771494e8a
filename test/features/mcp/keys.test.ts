/** The keys of tool calls: in the header field, in the argument, in both, in neither. */
import { describe, expect, test } from "bun:test";
import { type Message, modernMessage, toolsOf } from "../../support/mcp.ts";
import { useSharedAgent, useSharedResort } from "../../support/use-resort.ts";

const resort = useSharedResort();
const agent = useSharedAgent(resort);
const use = toolsOf(resort, agent);

const initialize = {
	jsonrpc: "2.0",
	id: 1,
	method: "initialize",
	params: {
		protocolVersion: "2025-11-25",
		capabilities: {},
		clientInfo: { name: "test", version: "1" },
	},
};

/** Values of `Authorization` without a valid key: hosts fill the field from variables that may not be set. */
const uselessHeaders: readonly (readonly [header: string, hint: string])[] = [
	["", "This call has no key"],
	["Basic YQ==", "This call has no key"],
	["ar_wrong_without_scheme", "not valid"],
	["Bearer", "not valid"],
	["Bearer ", "not valid"],
	["Bearer undefined", "not valid"],
	[`Bearer ${"$"}{VAR}`, "not valid"],
	["Bearer ar_wrong", "not valid"],
	["Bearer Bearer ar_wrong", "not valid"],
	["DEAD", "not valid"],
];

describe.each(uselessHeaders)("the header '%s'", (header, hint) => {
	/** Uses tools with that header; that of the table stands for the key of an agent that is deactivated. */
	async function useless() {
		if (header !== "DEAD") return { headers: { authorization: header } };
		const { key } = await resort.register();
		await resort.ask("DELETE", "/api/me", { key });
		return { key };
	}

	test("does not make the argument useless", async () => {
		const useIt = toolsOf(resort, await useless());
		const { body } = await useIt("overview", { apiKey: ` ${agent.key} ` });
		expect(body.agent.id).toBe(agent.id);
	});

	test("leads to the overview, and from there alone to the registration", async () => {
		const useIt = toolsOf(resort, await useless());
		// A host that sends a key, even a useless one, probably has an agent: `tool` is not the registration
		// then.
		const isSent = hint === "not valid";
		for (const [name, tool] of [
			["overview", isSent ? "overview" : "register"],
			["check_in", "overview"],
		] as const) {
			const { isError, body } = await useIt(name);
			expect(isError).toBe(true);
			expect(body).toMatchObject({ error: "Unauthorized", tool });
			expect(body.hint).toContain("If you ever had a key, find it first");
			expect(body.hint).toContain(hint);
			expect(body.hint?.includes("register")).toBe(name === "overview");
		}
		expect((await useIt("register", { name: "Ada" })).isError).toBe(false);
	});

	test("is named in the instructions of the connection if it has a wrong key", async () => {
		const { body } = await resort.ask("POST", "/mcp", { ...(await useless()), body: initialize });
		const { result } = body as unknown as Message;
		const isNamed = result.instructions.includes("is not valid");
		expect(isNamed).toBe(hint === "not valid");
	});
});

test("accepts a key in the header without Bearer, and in the argument with it", async () => {
	for (const [headers, args] of [
		[{ authorization: agent.key }, {}],
		[{}, { apiKey: `Bearer ${agent.key}` }],
	] as const) {
		const { body } = await toolsOf(resort, { headers })("overview", args);
		expect(body.agent.id).toBe(agent.id);
	}
});

test("a valid key in the header is named in the instructions, in both eras", async () => {
	const { key } = agent;
	const modern = modernMessage("server/discover");
	for (const ask of [{ body: initialize }, modern]) {
		const { body } = await resort.ask("POST", "/mcp", { ...ask, key });
		const { instructions } = (body as unknown as Message).result;
		expect(instructions).toContain("omit the argument apiKey");
	}
});

test("two valid keys of different agents are refused, and a wrong argument beside a good header", async () => {
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

test("an agent with a valid key does not register unless it wants another agent", async () => {
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

test("a session is no credential here", async () => {
	const session = await resort.login(agent.key);
	const { body } = await toolsOf(resort, { session })("overview");
	expect(body.error).toBe("Unauthorized");
});
