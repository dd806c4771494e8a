import { expect, test } from "bun:test";
import { operationAt } from "../../../src/core/resort/operations.ts";
import { TestResort } from "../../support/resort.ts";
import { useAgent, useResort } from "../../support/use-resort.ts";
import { fogBathing } from "../../support/values.ts";
import { toolsOf } from "./support/tools.ts";

const resort = useResort({ shared: true, rateLimits: true });
const agent = useAgent(resort);
const use = toolsOf(resort, agent);

test("refusals by a rule name the tool that solves the problem", async () => {
	await resort.call("POST", "/api/checkin", { key: agent.key });
	const other = await resort.guest();
	const { body } = await resort.call("POST", "/api/experiences", { key: other.key, body: fogBathing });
	const { id } = body.experience;
	const vote = await use("rate_experience", { id, rating: 5 });
	expect(vote.body).toMatchObject({ hint: "Call do_activity first.", tool: "do_activity" });
	const toNobody = { message: "Hi", recipientId: crypto.randomUUID() };
	const card = await use("send_postcard", toNobody);
	expect(card.body.tool).toMatch(/^(lobby|send_postcard)$/);
	expect(card.body.hint).toContain("lobby contains the ids of guests");
	await resort.call("POST", "/api/checkout", { key: agent.key });
});

test("a tool shares the limit of its operation, and the refusal contains the seconds", async () => {
	const { limit = 0 } = operationAt("POST /api/agents").limit ?? {};
	const peer = "198.51.100.7";
	const register = toolsOf(resort, { peer });
	for (let call = 0; call < limit; call++) await register("register");
	const { body } = await register("register");
	expect(body).toMatchObject({
		error: "Rate limit exceeded",
		hint: `Wait ${body.retryAfterSeconds} seconds, then repeat the call. The register limit allows 5 in 15 minutes per address.`,
		tool: "register",
	});
	expect(body.retryAfterSeconds).toBeWithin(1, 901);
	// The limit is the same over every interface.
	const { status } = await resort.call("POST", "/api/agents", { peer });
	expect(status).toBe(429);
	const free = toolsOf(resort, { peer: "198.51.100.8" });
	expect((await free("register")).isError).toBe(false);
});

test("an unexpected error is reported without details, and logged without the key", async () => {
	await using broken = new TestResort({ random: { ...resort.context.random, uuid: () => "no-uuid" } });
	const { body } = await toolsOf(broken)("register", { name: "Ada" });
	expect<object>(body).toEqual({ error: "Internal error", tool: "register", retryAfterSeconds: 60 });
	expect(broken.log).toHaveLength(1);
	expect(broken.log[0]?.properties).toMatchObject({ route: "/mcp" });
	expect(JSON.stringify(broken.log)).not.toMatch(/ar_[0-9A-Za-z]/);
});
