import { type Static, Type } from "@sinclair/typebox";
import { Choice } from "../schemas.ts";

/** How long others may keep a badge, in seconds. */
export const BADGE_SECONDS = 30;

/**
 * What https://shields.io/badges/endpoint-badge reads. It has no `ok`: the form is the one of that service, which
 * refuses fields that it does not know.
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
