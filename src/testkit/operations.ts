import { callOperations } from "./calls/operations.ts";
import { controlOperations } from "./controls/operations.ts";
import { faultOperations } from "./faults/operations.ts";

/** All that tests do to a throwaway instance. */
export const testOperations = [
	...controlOperations,
	...faultOperations,
	...callOperations,
];
