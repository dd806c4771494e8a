/** Types that depend on schemas. In the package, output of scripts/testing-types.ts replaces this file. */
import type { Static } from "@sinclair/typebox";
import type { CutAnswer, StateAnswer } from "../operations.ts";

export type { Fault } from "../faults.ts";
export type { RecordedCall } from "../recorded-calls.ts";

/** The state of a resort. */
export type ResortState = Omit<Static<typeof StateAnswer>, "ok">;

/** How many connections were cut. */
export type CutConnections = Omit<Static<typeof CutAnswer>, "ok">;

/** Initial data. */
export type Fixtures = object;

/** An operation's id, its method and path, or `*` for all. */
export type OperationName = string;
