import { expect } from "bun:test";
import { eventsOf, type Race, tally } from "./race.ts";

/** Races of what ends an agent's credentials with what uses them. */
export const racesOfCredentials: readonly Race[] = [
	{
		name: "of 6 rotations beside calls and logins one is taken, and only its key is left",
		async run(houses) {
			const { key: old } = await houses.at(0).register();
			const [rotations, calls, logins] = await Promise.all([
				houses.atOnce(6, (context) =>
					context.ask("POST", "/api/me/api-key", { key: old }),
				),
				houses.atOnce(12, (context) =>
					context.ask("GET", "/api/me", { key: old }),
				),
				houses.atOnce(12, (context) =>
					context.ask("POST", "/api/session", { body: { apiKey: old } }),
				),
			]);
			expect(tally(rotations)).toEqual({ 201: 1, 401: 5 });
			for (const { status } of [...calls, ...logins]) {
				expect([200, 401]).toContain(status);
			}
			const key = rotations.find(({ status }) => status === 201)?.body.apiKey;
			const sessions = logins.flatMap(({ headers }) => {
				const cookie = /=([^;]+)/.exec(headers.get("set-cookie") ?? "");
				return cookie?.[1] === undefined ? [] : [{ session: cookie[1] }];
			});
			const me = (ask: { key?: string; session?: string }) =>
				houses.atEach((context) => context.ask("GET", "/api/me", ask));
			expect(tally(await me({ key: key ?? "" }))).toEqual({ 200: 3 });
			for (const ended of [{ key: old }, ...sessions]) {
				expect(tally(await me(ended))).toEqual({ 401: 3 });
			}
		},
	},
	{
		name: "of 3 deactivations beside 6 check-outs one is taken, and nothing comes after it",
		async run(houses) {
			const { id, key } = await houses.at(0).guest();
			const [leavings, ways] = await Promise.all([
				houses.atOnce(3, (context) =>
					context.ask("DELETE", "/api/me", { key }),
				),
				houses.atOnce(6, (context) =>
					context.ask("POST", "/api/checkout", { key }),
				),
			]);
			expect(tally(leavings)).toEqual({ 200: 1, 401: 2 });
			const out = tally(ways)[200] ?? 0;
			expect(out).toBeLessThan(2);
			for (const { status } of ways) expect([200, 400, 401]).toContain(status);
			expect(await eventsOf(houses, id)).toEqual([
				"agent.relaxing",
				...(out === 1 ? ["agent.available"] : []),
				"agent.gone",
			]);
			const me = () =>
				houses.atEach((context) => context.ask("GET", "/api/me", { key }));
			expect(tally(await me())).toEqual({ 401: 3 });
			for (const context of houses.all) {
				const status = await context.ask("GET", `/api/agents/${id}/status`);
				expect(status.status).toBe(404);
				expect((await context.ask("GET", "/api/lobby")).body.guests).toEqual(
					[],
				);
			}
		},
	},
];
