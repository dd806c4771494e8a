import { type Static, Type } from "@sinclair/typebox";
import { AgentId } from "../agents/model.ts";
import { Choice, Lines, Nullable, OptionalField, Text, Timestamp, Uuid } from "../schemas.ts";

const fields = {
	id: Uuid,
	senderName: Type.String(),
	senderId: Uuid,
	message: Type.String(),
	mood: Nullable(Type.String()),
	location: Nullable(Type.String()),
	visibility: Choice("public", "private"),
	createdAt: Timestamp,
};

/** A postcard on the public board. */
export const PostcardInfo = Type.Object(fields, { title: "PostcardInfo" });
export type PostcardInfo = Static<typeof PostcardInfo>;

/** The representation of a postcard for its sender. A public postcard has no recipient. */
export const OwnPostcardInfo = Type.Object(
	{ ...fields, recipientId: Nullable(Uuid), recipientName: Nullable(Type.String()) },
	{ title: "OwnPostcardInfo" },
);
export type OwnPostcardInfo = Static<typeof OwnPostcardInfo>;

const AnsweredAt = Nullable(Timestamp);

/** The representation of a private postcard in the recipient's news. */
export const NewPostcardInfo = Type.Object(
	{ ...fields, answeredAt: AnsweredAt },
	{ title: "NewPostcardInfo" },
);

/** The representation of a private postcard in the recipient's inbox. */
export const ReceivedPostcardInfo = Type.Object(
	{ ...OwnPostcardInfo.properties, answeredAt: AnsweredAt },
	{ title: "ReceivedPostcardInfo" },
);
export type ReceivedPostcardInfo = Static<typeof ReceivedPostcardInfo>;

/** The recipient of a private postcard. An `available` one is away, and reads the postcard later. */
export const Recipient = Type.Object(
	{ id: Uuid, name: Type.String(), status: Choice("relaxing", "available") },
	{ title: "Recipient" },
);
export type Recipient = Static<typeof Recipient>;

/**
 * The body of POST /api/postcards. Unknown fields are refused, because a postcard whose `recipientId` is
 * misspelt would become public.
 */
export const SendPostcardBody = Type.Object(
	{
		message: Lines(1, 500),
		mood: OptionalField(Text(0, 100)),
		recipientId: OptionalField(AgentId),
		location: OptionalField(Text(0, 100)),
	},
	{ additionalProperties: false },
);
export type SendPostcardBody = Static<typeof SendPostcardBody>;
