import { type Static, Type } from "@sinclair/typebox";
import {
	Answer,
	Choice,
	Nullable,
	OptionalField,
	Text,
	Timestamp,
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
	recipientId: OptionalField(Uuid),
	location: OptionalField(Text(0, 100)),
});
export type SendPostcardBody = Static<typeof SendPostcardBody>;

/** One postcard. */
export const PostcardAnswer = Answer({ postcard: PostcardInfo });

/** The answer of each list of postcards. */
export const PostcardsAnswer = Answer({ postcards: Type.Array(PostcardInfo) });
