import { type Static, Type } from "@sinclair/typebox";
import { Text } from "../schemas.ts";

/** The body of POST /api/session. The key is not trimmed. */
export const CreateSessionBody = Type.Object({ apiKey: Text(10, 256) });
export type CreateSessionBody = Static<typeof CreateSessionBody>;

/** The name of the session cookie; its prefix binds it to this host and to https (RFC 6265bis, 4.1.3.2). */
export const SESSION_COOKIE = "__Host-resort_session";
