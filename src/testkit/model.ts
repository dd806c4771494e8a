import { Answer } from "../resort/schemas.ts";

/** The answer that tells nothing but success. */
export const NoFields = Answer({});
