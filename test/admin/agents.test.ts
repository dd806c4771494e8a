import { beforeEach, describe, expect, test } from "bun:test";
import { HOUR_MS } from "../../src/lib/clock.ts";
import { useGuest, useResort } from "../support/use-resort.ts";

const MAX_STAY_MS = 4 * HOUR_MS;

const context = useResort({ maxStayMs: MAX_STAY_MS });
const ada = useGuest(context, { name: "Ada" });

beforeEach(() => {
	context.advance(1000);
});

const act = (verb: string, { id } = ada, body?: object) =>
	context.byHost(`/agents/${id}/${verb}`, body);
const refusal = async (verb: string, id = ada.id) => {
	const { status, body } = await context.host("POST", `/agents/${id}/${verb}`);
	return { status, error: body.error };
};

test.each(["reactivate", "reset-key", "check-out", "deactivate"])(
	"%s of an agent that was erased is refused as that",
	async (verb) => {
		await act("erase");
		expect(await refusal(verb)).toEqual({
			status: 400,
			error: "The agent was erased",
		});
	},
);

describe("reset-key", () => {
	test("ends the old key, every session and whoever waits with them", async () => {
		const session = await context.login(ada.key);
		const waiting = context.ask("GET", "/api/me/events?wait=60", {
			key: ada.key,
		});
		// Kept ready from now on.
		for (const who of [{ key: ada.key }, { session }]) {
			expect((await context.ask("GET", "/api/me", who)).status).toBe(200);
		}
		await context.untilWaiting();
		const { apiKey } = await act("reset-key");
		expect((await waiting).status).toBe(401);
		for (const who of [{ key: ada.key }, { session }]) {
			expect((await context.ask("GET", "/api/me", who)).status).toBe(401);
		}
		expect((await context.ask("GET", "/api/me", { key: apiKey })).status).toBe(
			200,
		);
		expect(await context.holds(apiKey)).toBe(false);
	});
});

test("each change is a line of the log, without a key or a code", async () => {
	const { code } = (await context.byHost("/invites", {})) as unknown as {
		code: string;
	};
	const [label = ""] = code.split("-");
	await context.byHost("/invites/revoke", { code });
	const { apiKey } = await act("reset-key");
	await act("deactivate");
	await refusal("deactivate");
	const lines = context.log.map(({ properties }) => properties);
	expect(lines.filter(({ by }) => by === "admin")).toMatchObject([
		{ by: "admin", what: "invite", whom: label },
		{ by: "admin", what: "revoke-invite", whom: label },
		{ by: "admin", what: "reset-key", whom: ada.id },
		{ by: "admin", what: "deactivate", whom: ada.id },
	]);
	expect(JSON.stringify(context.log)).not.toContain(code);
	expect(JSON.stringify(context.log)).not.toContain(apiKey.slice(3, 15));
});
