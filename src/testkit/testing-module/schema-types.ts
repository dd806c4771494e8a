/**
 * The declarations of the testing module that follow from schemas. In the packed types, scripts/testing-types.ts
 * replaces them with exact ones.
 */

/** Initial data. */
export type Fixtures = object;

/** The id of an operation. */
export type OperationId = string;

/** What operations a fault affects: the id of one, its method and path, or all of them. */
export type OperationName = string;
