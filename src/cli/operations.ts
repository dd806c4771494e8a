import type { Operation } from "../core/resort/operation.ts";
import { operations as coreOperations } from "../core/resort/operations.ts";
import { features } from "./features.ts";

const ofFeatures = await Promise.all(features.map((feature) => feature.loadOperations?.()));

/** All operations of the API, including those that only some instances offer. */
export const operations: readonly Operation[] = [
	...coreOperations,
	...ofFeatures.flatMap((one) => one?.operations ?? []),
];

/** All operations that are not listed in the API documents. */
export const unlisted: readonly Operation[] = ofFeatures.flatMap((one) => one?.unlisted ?? []);
