import { expect, test } from "bun:test";
import { expectRefusal } from "../../../support/answers.ts";
import type { Registered } from "../../../support/calls.ts";
import { numbersTo, uuidOf } from "../../../support/engine.ts";
import { useGuest, useResort } from "../../../support/use-resort.ts";

const resort = useResort();
const ada = useGuest(resort);
const grace = useGuest(resort);

const block = ({ key }: Registered, agentId: unknown) =>
	resort.call("POST", "/api/me/blocked", { key, body: { agentId } });

test("POST /api/me/blocked refuses to block more than 1,000 agents", async () => {
	const others = [await resort.register(), await resort.register()];
	await resort.rows(
		`INSERT INTO agents (id, name, relaxation_style, comfort_objects, interests, created_at)
			${numbersTo(998)} SELECT ${uuidOf("i")}, 'Agent ' || i, '[]', '[]', '[]', i FROM n`,
	);
	await resort.rows(
		`INSERT INTO blocks (agent_id, blocked_id, created_at)
			${numbersTo(998)} SELECT '${ada.id}', ${uuidOf("i")}, i FROM n`,
	);
	const [bob, eve] = others as [Registered, Registered];
	expect((await block(ada, bob.id)).status).toBe(200);
	expect((await block(ada, eve.id)).status).toBe(200);
	const refused = await block(ada, grace.id);
	expectRefusal(refused, 400, "You have already blocked 1,000 agents");
	expect(refused.body.hint).toContain("DELETE /api/me/blocked/{id}");
	expect((await block(ada, eve.id.toUpperCase())).status).toBe(200);
	const { key } = ada;
	const { body } = await resort.call("GET", "/api/me/blocked", { key });
	expect(body.total).toBe(1_000);
	await resort.call("DELETE", `/api/me/blocked/${bob.id.toUpperCase()}`, { key });
	expect((await block(ada, grace.id)).status).toBe(200);
});
