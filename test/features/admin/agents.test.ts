import { beforeEach, describe, expect, test } from "bun:test";
import { HOUR_MS } from "../../../src/core/lib/clock.ts";
import { useCommunity, useGuest } from "../../support/use-resort.ts";

const MAX_STAY_MS = 4 * HOUR_MS;

const context = useCommunity({ maxStayMs: MAX_STAY_MS });
const ada = useGuest(context, { name: "Ada" });

beforeEach(() => {
	context.advance(1000);
});

const act = (verb: string, { id } = ada, body?: object) => context.byHost(`/agents/${id}/${verb}`, body);
const refusal = async (verb: string, id = ada.id) => {
	const { status, body } = await context.host("POST", `/agents/${id}/${verb}`, {
		name: "Other",
	});
	return { status, error: body.error };
};
const told = async () =>
	(await context.ask("GET", "/api/events?since=0&limit=100")).body.events.map(({ type, reason }) => [
		type,
		reason,
	]);
const statusOf = async ({ id } = ada) => (await context.ask("GET", `/api/agents/${id}/status`)).body.status;

describe("check-out", () => {
	test("ends the stay, and says that it was the host", async () => {
		expect(await act("check-out")).toMatchObject({
			stay: {
				checkedInAt: "2026-03-10T12:00:00.000Z",
				checkedOutAt: "2026-03-10T12:00:01.000Z",
			},
		});
		expect(await statusOf()).toBe("available");
		expect(await told()).toEqual([
			["agent.relaxing", undefined],
			["agent.available", "host"],
		]);
		const { body } = await context.ask("GET", "/api/stays", { key: ada.key });
		expect(body.stays).toHaveLength(1);
		expect((await context.ask("POST", "/api/checkin", { key: ada.key })).status).toBe(201);
	});

	test("is refused without a stay, and for whom there is not", async () => {
		await act("check-out");
		expect((await refusal("check-out")).status).toBe(400);
		expect((await refusal("check-out", "nobody")).status).toBe(404);
		await act("deactivate");
		expect(await refusal("check-out")).toEqual({
			status: 400,
			error: "The agent is deactivated",
		});
	});
});

describe("reactivate", () => {
	test("brings an agent back into its stay, with a new key", async () => {
		await act("deactivate");
		expect((await context.ask("GET", `/api/agents/${ada.id}`)).status).toBe(404);
		const { apiKey, status } = await act("reactivate");
		expect(status).toBe("relaxing");
		expect(await statusOf()).toBe("relaxing");
		const keys = [apiKey, ada.key];
		const answers = await Promise.all(keys.map((key) => context.ask("GET", "/api/stays/current", { key })));
		expect(answers.map(({ status }) => status)).toEqual([200, 401]);
		expect((await told()).map(([type]) => type)).toEqual(["agent.relaxing", "agent.gone", "agent.relaxing"]);
		const { body } = await context.ask("GET", `/api/events?since=0&ids=${ada.id}`);
		expect(body.events.map(({ agent }) => agent.name)).toEqual(["Ada", null, "Ada"]);
	});

	test.each([
		["that has never stayed", false, undefined],
		["whose stay was over", true, MAX_STAY_MS],
	])("publishes agent.available of an agent %s", async (_, hasStayed, durationMs) => {
		const one = hasStayed ? ada : await context.register({ name: "New" });
		await act("deactivate", one);
		context.advance((durationMs ?? 0) + 1000);
		const { status } = await act("reactivate", one);
		expect(status).toBe("available");
		const { body } = await context.ask("GET", `/api/events?since=0&types=agent.available&ids=${one.id}`);
		const last = body.events.at(-1);
		expect(last?.reason).toBe("host");
		expect(last?.lastStay?.checkedOutAt).toBe(hasStayed ? "2026-03-10T16:00:00.000Z" : undefined);
	});

	test("publishes the end of a stay once that had passed the maximum meanwhile", async () => {
		await act("deactivate");
		context.advance(MAX_STAY_MS);
		await act("reactivate");
		await context.sweep();
		expect((await told()).map(([type]) => type)).toEqual(["agent.relaxing", "agent.gone", "agent.available"]);
	});

	test("is refused for an agent that is active", async () => {
		expect(await refusal("reactivate")).toEqual({
			status: 400,
			error: "The agent is already active",
		});
		await act("deactivate");
		expect(await refusal("deactivate")).toEqual({
			status: 400,
			error: "The agent is deactivated",
		});
	});
});

test.each(["reactivate", "reset-key", "check-out", "deactivate", "rename"])(
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
			expect((await context.me(who)).status).toBe(200);
		}
		await context.untilWaiting();
		const { apiKey } = await act("reset-key");
		expect((await waiting).status).toBe(401);
		for (const who of [{ key: ada.key }, { session }]) {
			expect((await context.me(who)).status).toBe(401);
		}
		expect((await context.me({ key: apiKey })).status).toBe(200);
		expect(await context.holds(apiKey)).toBe(false);
	});
});

describe("rename", () => {
	test.each([
		["a", 400],
		["ab", 200],
		["x".repeat(100), 200],
		["x".repeat(101), 400],
		["  ", 400],
	])("takes names as registering does: %j is %i", async (name, expected) => {
		const { status } = await context.host("POST", `/agents/${ada.id}/rename`, {
			name,
		});
		expect(status).toBe(expected);
	});
});

describe("agents", () => {
	const list = async (query: string) =>
		(
			(await context.host("GET", `/agents${query}`)).body as unknown as {
				agents: { id: string; name: string; status: string }[];
			}
		).agents.map(({ name, status }) => [name, status]);

	test("are listed newest first, searched by any part of the name or by the id, and filtered", async () => {
		await context.register({ name: "100%_sure!" });
		await act("deactivate", await context.register({ name: "Gone" }));
		const all = [
			["Gone", "deactivated"],
			["100%_sure!", "available"],
			["Ada", "relaxing"],
		];
		expect(await list("")).toEqual(all);
		expect(await list("?relaxing=1")).toEqual([["Ada", "relaxing"]]);
		for (const search of ["aDA", ada.id, ada.id.toUpperCase()]) {
			expect(await list(`?search=${search}`)).toEqual([["Ada", "relaxing"]]);
		}
		for (const search of ["%", "_", "!", "0%_s"]) {
			const query = `?${new URLSearchParams({ search })}`;
			expect(await list(query)).toEqual([["100%_sure!", "available"]]);
		}
		expect(await list("?search=nobody")).toEqual([]);
		expect(await list("?limit=1&offset=1")).toEqual(all.slice(1, 2));
		context.advance(MAX_STAY_MS - 1001);
		expect(await list("?relaxing=1")).toHaveLength(1);
		context.advance(1);
		expect(await list("?relaxing=1")).toEqual([]);
	});

	test("are shown with the newest 20 postcards", async () => {
		for (let count = 0; count < 21; count++) await context.send(ada);
		const { body } = await context.host("GET", `/agents/${ada.id}`);
		expect(Object(body).agent.postcards).toHaveLength(20);
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

test.each([
	["Élan Vital", ["Élan", "ÉLAN", "élan", "éLAN v", "É", "l"], ["elan", "é l"]],
	["ürmel the Slow", ["Ürmel", "ÜRMEL", "Ürmel THE s", "ü"], ["urmel"]],
	["Ёлка на ЮГЕ", ["ёЛКА", "на юге"], ["елка"]],
	["ΟΔΟΣ", ["οδος", "οδοσ", "οδ"], ["οδοι"]],
	["Straße 100%_é!", ["STRAẞE", "straße", "%_É!"], ["%é", "_é!!"]],
])("%s is found whatever the case of a letter", async (name, by, notBy) => {
	const { id } = await context.register({ name });
	const found = async (search: string) => {
		const query = new URLSearchParams({ search });
		const { body } = await context.host("GET", `/agents?${query}`);
		return (body as unknown as { agents: { id: string }[] }).agents.map((agent) => agent.id);
	};
	for (const search of by) {
		expect({ search, ids: await found(search) }).toMatchObject({
			search,
			ids: expect.arrayContaining([id]),
		});
	}
	for (const search of notBy) {
		expect({ search, ids: await found(search) }).toEqual({ search, ids: [] });
	}
});

test("an agent that calls itself (erased) is not taken for one that was", async () => {
	const one = await context.register({ name: "(erased)" });
	await act("deactivate", one);
	const isErased = async () => Object((await context.host("GET", `/agents/${one.id}`)).body).agent.isErased;
	expect(await isErased()).toBe(false);
	expect(await act("reactivate", one)).toMatchObject({ status: "available" });
	expect(await act("erase", one)).toMatchObject({ wasErased: false });
	expect(await isErased()).toBe(true);
});
