import { type Static, Type } from "@sinclair/typebox";
import { Text } from "../schemas.ts";

/** A key to be exchanged for a session; it is judged as it is, not trimmed. */
export const CreateSessionBody = Type.Object({ apiKey: Text(10, 256) });
export type CreateSessionBody = Static<typeof CreateSessionBody>;
