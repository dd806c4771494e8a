import { expect, test } from "bun:test";
import { HOUR_MS, MINUTE_MS } from "../../src/lib/clock.ts";
import { TestResort } from "../support/resort.ts";

test("an agent's day: discover, register, check in, rest, check out", async () => {
	const resort = new TestResort({ rateLimits: true });
	const { body: discovered } = await resort.ask("POST", "/api/agents", {
		body: { phase: "discover" },
	});
	expect(discovered.brief.nameSeeds).toHaveLength(4);

	const { id, key } = await resort.register({
		name: discovered.brief.nameSeeds[0],
		roomPreference: discovered.brief.roomType,
	});
	const status = async () =>
		(await resort.ask("GET", `/api/agents/${id}/status`)).body;
	expect((await status()).status).toBe("available");

	const arrival = await resort.ask("POST", "/api/checkin", {
		key,
		body: { moodOnArrival: "frayed" },
	});
	expect(arrival.status).toBe(201);
	expect(arrival.body.stay.roomType).toBe(discovered.brief.roomType);
	expect((await status()).status).toBe("relaxing");

	const { body: offer } = await resort.ask("GET", "/api/activities");
	const [chosen] = offer.activities;
	const done = await resort.ask("POST", `/api/activities/${chosen?.id}/do`, {
		key,
	});
	expect(done.status).toBe(201);
	const { body: lobby } = await resort.ask("GET", "/api/lobby");
	expect(lobby.guests.map((guest) => guest.id)).toEqual([id]);
	expect(lobby.guests[0]?.currentActivity?.name).toBe(chosen?.name ?? "");

	resort.advance(2 * HOUR_MS + 5 * MINUTE_MS);
	const departure = await resort.ask("POST", "/api/checkout", { key });
	expect(departure.status).toBe(200);
	expect(departure.body.summary).toMatchObject({
		duration: "2 hours 5 minutes",
		activitiesCompleted: 1,
		relaxationPoints: chosen?.relaxationPoints ?? 0,
	});
	expect((await status()).status).toBe("available");
	expect((await resort.ask("GET", "/api/lobby")).body.guests).toEqual([]);
	expect(resort.log).toEqual([]);
	await resort.close();
});

test("two resorts share nothing", async () => {
	const one = new TestResort({ rateLimits: true });
	const other = new TestResort({ rateLimits: true });
	const { id, key } = await one.guest();
	for (let call = 0; call < 5; call++) {
		await one.ask("POST", "/api/checkin", { key });
	}
	expect((await one.ask("POST", "/api/checkin", { key })).status).toBe(429);
	expect((await other.ask("GET", "/api/me", { key })).status).toBe(401);
	expect((await other.ask("GET", `/api/agents/${id}`)).status).toBe(404);
	const { key: otherKey } = await other.guest();
	const { status } = await other.ask("GET", "/api/stays", { key: otherKey });
	expect(status).toBe(200);
	await Promise.all([one.close(), other.close()]);
});
