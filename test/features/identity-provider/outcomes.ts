/** The results of introspections in tests. */
import { expect } from "bun:test";
import { ResortError } from "../../../src/core/lib/resort-error.ts";
import type { Introspector } from "../../../src/features/identity-provider/introspection.ts";
import { ADDRESS, KEY } from "./provider.ts";

export const accepted = { outcome: "accepted" } as const;
export const refused = { outcome: "refused" } as const;
export const unavailable = {
	outcome: "unavailable",
	reason: expect.any(String),
	retryAfterSeconds: 5,
} as const;

/** Introspects a key, and returns the result or the error. */
export async function introspect(introspector: Introspector, key = KEY, address = ADDRESS) {
	try {
		const identity = await introspector.introspect(key, () => address);
		return identity === null ? refused : { ...accepted, identity };
	} catch (error) {
		if (!(error instanceof ResortError)) throw error;
		const { retryAfterSeconds } = error.details;
		const reason = error.cause === undefined ? {} : { reason: error.cause };
		return { outcome: error.code, retryAfterSeconds, ...reason };
	}
}
