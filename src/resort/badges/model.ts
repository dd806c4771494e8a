import { type Static, Type } from "@sinclair/typebox";
import { Choice } from "../schemas.ts";

/** How long a badge may be cached, in seconds. */
export const BADGE_SECONDS = 30;

/**
 * The response that https://shields.io/badges/endpoint-badge reads. It has no `ok`, because that service refuses
 * unknown fields.
 */
export const ShieldsBadge = Type.Object(
	{
		schemaVersion: Type.Literal(1),
		label: Type.String(),
		message: Choice("relaxing", "available"),
		color: Type.String(),
		cacheSeconds: Type.Literal(BADGE_SECONDS),
	},
	{ title: "ShieldsBadge" },
);
export type ShieldsBadge = Static<typeof ShieldsBadge>;
