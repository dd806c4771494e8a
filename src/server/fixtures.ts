import { readFileSync } from "node:fs";
import { type ValueError, ValueErrorType } from "@sinclair/typebox/compiler";
import { Value } from "@sinclair/typebox/value";
import { reasonOf } from "../lib/failure.ts";
import type { Random } from "../lib/random.ts";
import { StartError } from "../lib/start-error.ts";
import { plainest, trimStrings } from "../resort/bounds.ts";
import { requirement } from "../resort/requirement.ts";
import { Fixtures } from "../testkit/fixtures/model.ts";
import { replayOf } from "../testkit/fixtures/replay.ts";
import { type FixtureRows, makeRows } from "../testkit/fixtures/rows.ts";

/** How deep the values of the file lie at most: the items of a list of an agent. */
const MAX_DEPTH = 4;

/**
 * The rows that fixtures come to at a time, in milliseconds since the epoch: what has none is dated so. What is drawn
 * is the same at each call.
 * @throws StartError with exit code 2 that names the first place that is wrong, or cannot be at that time
 */
export type FixturesAt = (nowMs: number) => FixtureRows;

/**
 * Reads the file of `--fixtures`.
 * @param random draws what is left out
 * @throws StartError with exit code 2 that names the first place that has not the right shape
 */
export function readFixtures(file: string, random: Random): FixturesAt {
	const naming = <T>(make: () => T): T => {
		try {
			return make();
		} catch (error) {
			if (!(error instanceof StartError)) throw error;
			throw new StartError(`--fixtures ${file}: ${error.message}`, 2);
		}
	};
	const fixtures = naming(() => {
		const read = trimStrings(parse(readText(file)), MAX_DEPTH);
		if (Value.Check(Fixtures, read)) return read;
		throw new StartError(describe(Value.Errors(Fixtures, read).First()), 2);
	});
	const replay = replayOf(random);
	return (nowMs) => {
		replay.restart();
		return naming(() => makeRows(fixtures, replay.random, nowMs));
	};
}

function readText(file: string): string {
	try {
		return readFileSync(file, "utf8");
	} catch (error) {
		throw new StartError(`cannot be read: ${reasonOf(error)}`, 2);
	}
}

function parse(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		throw new StartError(
			"is not valid JSON; resort example fixtures.json prints a file to begin with",
			2,
		);
	}
}

/** What is wrong and where, as `agents[2].name must be 2 to 100 characters`. */
function describe(first: ValueError | undefined): string {
	const error = plainest(first);
	if (error === undefined) return "is not of the right shape";
	const place = placeOf(error.path);
	if (error.type === ValueErrorType.ObjectAdditionalProperties) {
		return `${place} is not a known field`;
	}
	return `${place} ${requirement(error)}`.trim();
}

/** @param pointer a JSON pointer (RFC 6901) */
function placeOf(pointer: string): string {
	return pointer
		.split("/")
		.slice(1)
		.map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"))
		.map((name) => {
			if (/^\d+$/.test(name)) return `[${name}]`;
			return /^\w+$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
		})
		.join("")
		.replace(/^\./, "");
}
