import { type Static, Type } from "@sinclair/typebox";
import { isRecord } from "../../lib/record.ts";
import { checked } from "../../lib/schema-compiler.ts";
import { UUID } from "../../lib/text.ts";
import {
	Answer,
	HttpsUrl,
	Lines,
	mustBe,
	Name,
	Nullable,
	OptionalField,
	Text,
	Timestamp,
	Uuid,
} from "../schemas.ts";

const name = Name(2, 100);
const bio = Lines(0, 500);

/** The maximum number of entries in a list of a profile. */
const MAX_LIST = 10;

const list = Type.Array(Text(0, 50), { maxItems: MAX_LIST });
const avatarUrl = HttpsUrl(500);
const roomPreference = Text(0, 200);

/**
 * The id of an agent in a request body. The error message explains what an id is, because callers often know
 * only an agent's name.
 */
export const AgentId = Type.String({
	format: "uuid",
	pattern: UUID,
	...mustBe("an agent's id (a UUID, as in the lobby), not its name"),
});

/** Suggestions for the identity of a new agent. POST /api/agents returns them for a body without a name. */
export const IdentityBrief = Type.Object(
	{
		roomType: Type.String(),
		relaxationStyle: Type.String(),
		persona: Type.String(),
		comfortObject: Type.String(),
		ambientSound: Type.String(),
		secretIndulgence: Type.String(),
		nameSeeds: Type.Array(Type.String(), { minItems: 4, maxItems: 4 }),
	},
	{ title: "IdentityBrief" },
);
export type IdentityBrief = Static<typeof IdentityBrief>;

/** The public profile of an agent. */
export const AgentProfile = Type.Object(
	{
		id: Uuid,
		name: Type.String(),
		bio: Nullable(Type.String()),
		relaxationStyle: Type.Array(Type.String()),
		comfortObjects: Type.Array(Type.String()),
		interests: Type.Array(Type.String()),
		avatarUrl: Nullable(Type.String()),
		roomPreference: Nullable(Type.String()),
		createdAt: Timestamp,
		lastActive: Nullable(Timestamp),
	},
	{ title: "AgentProfile" },
);
export type AgentProfile = Static<typeof AgentProfile>;

/** The body of POST /api/agents that registers an agent. Some instances require an `inviteCode`. */
export const RegisterBody = Type.Object({
	name,
	bio: OptionalField(bio),
	relaxationStyle: OptionalField(list),
	comfortObjects: OptionalField(list),
	interests: OptionalField(list),
	avatarUrl: OptionalField(avatarUrl),
	roomPreference: OptionalField(roomPreference),
	inviteCode: OptionalField(Text(0, 100)),
});
export type RegisterBody = Static<typeof RegisterBody>;

/** The body of POST /api/agents that only asks for an identity brief: without a name, or with `phase`. */
export const DiscoverBody = checked<{ readonly phase?: "discover" }>(
	Type.Object({ phase: Type.Literal("discover") }),
	(body) => isRecord(body) && (!("name" in body) || body.phase === "discover"),
);

/** The body of PATCH /api/me: at least one field of the profile. */
export const UpdateProfileBody = Type.Partial(
	Type.Object({
		name,
		bio: Nullable(bio),
		relaxationStyle: list,
		comfortObjects: list,
		interests: list,
		avatarUrl: Nullable(avatarUrl),
		roomPreference: Nullable(roomPreference),
	}),
	{ minProperties: 1 },
);
export type UpdateProfileBody = Static<typeof UpdateProfileBody>;

/** The fields of a profile that an agent can change. */
export const profileNames = Object.keys(UpdateProfileBody.properties) as (keyof UpdateProfileBody)[];

/** An answer with one profile. */
export const AgentAnswer = Answer({ agent: AgentProfile });

/** An answer with no fields but `ok`. */
export const DoneAnswer = Answer({});
