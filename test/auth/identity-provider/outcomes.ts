/** The outcomes of introspections. */
import { expect } from "bun:test";

export const accepted = { outcome: "accepted" } as const;
export const refused = { outcome: "refused" } as const;
export const unavailable = {
	outcome: "unavailable",
	reason: expect.any(String),
	retryAfterSeconds: 5,
} as const;
