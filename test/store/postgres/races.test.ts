/** Needs the address of a PostgreSQL server in RESORT_TEST_POSTGRES. */
import { describe, test } from "bun:test";
import { Houses } from "../../support/postgres/houses.ts";
import { testServer } from "../../support/postgres/lazy-store.ts";
import { racesForLimits } from "./races-for-limits.ts";
import { racesOfCredentials } from "./races-of-credentials.ts";
import { racesOfGuests } from "./races-of-guests.ts";

const ROUNDS = 5;
/** Of each of three instances: four changes run side by side at each. */
const CONNECTIONS = 8;
const MAX_MS = 60_000;

const races = [...racesOfGuests, ...racesOfCredentials, ...racesForLimits];

describe.skipIf(testServer === undefined)("at three instances at once", () => {
	test.each(races)(
		"$name",
		async ({ run, setup = {} }) => {
			await using houses = await Houses.open(testServer ?? "", {
				setup,
				connections: CONNECTIONS,
			});
			for (let round = 0; round < ROUNDS; round++) await run(houses);
		},
		MAX_MS,
	);
});
