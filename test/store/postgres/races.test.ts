/** Needs the address of a PostgreSQL server in RESORT_TEST_POSTGRES. */
import { describe, expect, test } from "bun:test";
import {
	Houses,
	type HousesOptions,
	withoutTurns,
} from "../../support/postgres/houses.ts";
import { testServer } from "../../support/postgres/lazy-store.ts";
import type { Race } from "./race.ts";
import { racesForLimits } from "./races-for-limits.ts";
import { racesOfCredentials } from "./races-of-credentials.ts";
import { racesOfGuests } from "./races-of-guests.ts";

const ROUNDS = 5;
/** Of each of three instances: four changes run side by side at each. */
const CONNECTIONS = 8;
const MAX_MS = 60_000;

const races = [...racesOfGuests, ...racesOfCredentials, ...racesForLimits];

function open(options: HousesOptions): Promise<Houses> {
	return Houses.open(testServer ?? "", {
		...options,
		connections: CONNECTIONS,
	});
}

async function repeat({ run }: Race, houses: Houses): Promise<void> {
	for (let round = 0; round < ROUNDS; round++) await run(houses);
}

describe.skipIf(testServer === undefined)("at three instances at once", () => {
	test.each(races)(
		"$name",
		async (race) => {
			await using houses = await open({ setup: race.setup ?? {} });
			await repeat(race, houses);
		},
		MAX_MS,
	);
});

describe.skipIf(testServer === undefined)("without turns", () => {
	test.each(races.filter(({ isHeldBy }) => isHeldBy === undefined))(
		"it is not so that $name",
		async (race) => {
			await using houses = await open({ alter: withoutTurns });
			await expect(repeat(race, houses)).rejects.toThrow();
		},
		MAX_MS,
	);
});
