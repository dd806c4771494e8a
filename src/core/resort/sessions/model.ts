import { type Static, Type } from "@sinclair/typebox";
import { Nullable, Timestamp } from "../schemas.ts";

/** A session, as the API shows it to the agent. */
export const SessionInfo = Type.Object(
	{
		id: Type.String({ description: "the first 16 digits of the SHA-256 of its token" }),
		createdAt: Timestamp,
		lastUsedAt: Nullable(Timestamp),
		expiresAt: Timestamp,
		isCurrent: Type.Boolean(),
	},
	{ title: "SessionInfo" },
);
export type SessionInfo = Static<typeof SessionInfo>;
