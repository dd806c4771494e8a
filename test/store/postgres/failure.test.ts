/** Each fault of `npm run torture -- postgres` once, without its limits of time: a test may run on a busy machine. */
import { expect } from "bun:test";
import { installations } from "../../support/postgres/installations.ts";
import { testOnPostgres } from "../../support/postgres/test-on-postgres.ts";
import { play } from "../../torture/postgres/part.ts";
import { scenes } from "../../torture/postgres/scenes.ts";

const LIMITS = { answerMs: 60_000, returnMs: 20_000 };

/** They take long: one builds another version, one starts the service from its source. */
const LEFT_OUT = ["exchange", "clock"];

const short = scenes.filter(({ name }) => !LEFT_OUT.includes(name));

testOnPostgres(
	"faults lose nothing, double nothing and crash nothing",
	async (version) => {
		// Each fault on one of the versions.
		const at = installations.findIndex((one) => one.version === version);
		const own = short.filter((_, place) => place % installations.length === at);
		expect(own).not.toBeEmpty();
		for (const scene of own) {
			const { failures } = await play(
				scene,
				{
					seed: 1,
					stop: new AbortController().signal,
					goesOn: (done) => done === 0,
					before: "",
					postgres: version,
					progress: () => {},
				},
				LIMITS,
			);
			expect({ [scene.name]: failures }).toEqual({ [scene.name]: [] });
		}
	},
	240_000,
);
