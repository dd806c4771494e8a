import { makeTestingPython } from "../../../scripts/client-package.ts" with { type: "macro" };

/** The testing module for Python, made at build time. */
export const testingPython: string = makeTestingPython();
