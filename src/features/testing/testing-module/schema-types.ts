/** Placeholders for types that depend on schemas. In the package, scripts/testing-types.ts replaces them. */

/** Initial data. */
export type Fixtures = object;

/** The id of an operation. */
export type OperationId = string;

/** An operation's id, its method and path, or `*` for all. */
export type OperationName = string;
