/** Causes the most serious faults of `npm run torture -- postgres` once; with `FAULTS=all`, more of them. */
import { expect } from "bun:test";
import { play } from "../../torture/postgres/play.ts";
import { scenes } from "../../torture/postgres/scenes.ts";
import { testOnPostgres } from "./support/test-on-postgres.ts";

const LIMITS = { answerMs: 60_000, returnMs: 60_000 };
const PRESSURE = { guests: 4, pauseMs: 40, calmMs: 500 };

/** The faults to cause, without `exchange` and `clock`, which take too long. */
const PLAYED = [
	"instances",
	"failover",
	"network",
	...(process.env.FAULTS === "all" ? ["restart", "standby", "connections", "disk"] : []),
];

for (const scene of scenes.filter(({ name }) => PLAYED.includes(name))) {
	testOnPostgres(
		`the resort survives the fault "${scene.name}" without losing or repeating a write (${scene.about})`,
		async () => {
			const { failures } = await play(
				scene,
				{ seed: 1, stop: new AbortController().signal, goesOn: (done) => done === 0, before: "" },
				LIMITS,
				PRESSURE,
			);
			expect(failures).toEqual([]);
		},
		240_000,
	);
}
