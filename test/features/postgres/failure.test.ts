/** The most serious faults of `npm run torture -- postgres`, each once; with `FAULTS=all` all of them. */
import { expect } from "bun:test";
import { testOnPostgres } from "../../support/postgres/test-on-postgres.ts";
import { play } from "../../torture/postgres/play.ts";
import { scenes } from "../../torture/postgres/scenes.ts";

const LIMITS = { answerMs: 60_000, returnMs: 60_000 };
const PRESSURE = { guests: 4, pauseMs: 40, calmMs: 500 };

const GRAVEST = ["instances", "restart", "failover", "network"];

/**
 * The two that are never played take too long: they build another version, or start the service from its
 * source.
 */
const PLAYED = [...GRAVEST, ...(process.env.FAULTS === "all" ? ["standby", "connections", "disk"] : [])];

for (const scene of scenes.filter(({ name }) => PLAYED.includes(name))) {
	testOnPostgres(
		`${scene.name}: nothing is lost or doubled, and nothing crashes`,
		async () => {
			const { failures } = await play(
				scene,
				{
					seed: 1,
					stop: new AbortController().signal,
					goesOn: (done) => done === 0,
					before: "",
				},
				LIMITS,
				PRESSURE,
			);
			expect(failures).toEqual([]);
		},
		240_000,
	);
}
