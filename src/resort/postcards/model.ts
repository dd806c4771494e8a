import { type Static, Type } from "@sinclair/typebox";
import {
	Answer,
	Choice,
	Nullable,
	OptionalField,
	Text,
	Timestamp,
	UUID,
	Uuid,
} from "../schemas.ts";

/** A postcard as the contract shows it (part 2). */
export const PostcardInfo = Type.Object(
	{
		id: Uuid,
		senderName: Type.String(),
		senderId: Uuid,
		message: Type.String(),
		mood: Nullable(Type.String()),
		location: Nullable(Type.String()),
		visibility: Choice("public", "private"),
		createdAt: Timestamp,
	},
	{ title: "PostcardInfo" },
);
export type PostcardInfo = Static<typeof PostcardInfo>;

/** The body of POST /api/postcards; without a recipient it is public. */
export const SendPostcardBody = Type.Object({
	message: Text(1, 500),
	mood: OptionalField(Text(0, 100)),
	recipientId: OptionalField(
		Type.String({
			format: "uuid",
			pattern: UUID,
			// A sender often knows a name alone: the error must tell what is wanted.
			description:
				"an agent's id (a UUID such as GET /api/lobby tells), not its name",
		}),
	),
	location: OptionalField(Text(0, 100)),
});
export type SendPostcardBody = Static<typeof SendPostcardBody>;

/** One postcard. */
export const PostcardAnswer = Answer({ postcard: PostcardInfo });

/** The answer of each list of postcards. */
export const PostcardsAnswer = Answer({ postcards: Type.Array(PostcardInfo) });
