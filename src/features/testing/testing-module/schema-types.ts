/**
 * Placeholders for the types of the testing module that depend on schemas. The package contains exact types
 * instead, which scripts/testing-types.ts generates.
 */

/** Initial data. */
export type Fixtures = object;

/** The id of an operation. */
export type OperationId = string;

/**
 * The operations that a fault affects: the id of one operation, the method and path of one, or `*` for all.
 */
export type OperationName = string;
