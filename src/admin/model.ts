import { type TSchema, Type } from "@sinclair/typebox";
import {
	Answer,
	Choice,
	Nullable,
	OptionalField,
	Text,
	Timestamp,
} from "../resort/schemas.ts";
import { MAX_DAYS, MAX_USES } from "./bounds.ts";
import { kinds } from "./moderation.ts";

const Count = Type.Integer();

/** What is asked of the list of agents. */
export const AgentsQuery = Type.Object({
	search: Type.Optional(Type.String()),
	relaxing: Type.Optional(Choice("1")),
});

/** The agents that were found; `isCut` says that there may be more. */
export const AgentsAnswer = Answer({
	agents: Type.Array(
		Type.Object({
			id: Type.String(),
			name: Type.String(),
			status: Choice("relaxing", "available", "deactivated", "erased"),
			createdAt: Timestamp,
			lastActive: Nullable(Timestamp),
			isErased: Type.Boolean(),
		}),
	),
	isCut: Type.Boolean(),
});

/** All that a host wants to know of an agent. */
export const AgentAnswer = Answer({
	agent: Type.Object({
		id: Type.String(),
		name: Type.String(),
		bio: Nullable(Type.String()),
		createdAt: Timestamp,
		lastActive: Nullable(Timestamp),
		deactivatedAt: Nullable(Timestamp),
		isErased: Type.Boolean(),
		stay: Nullable(
			Type.Object({
				roomName: Type.String(),
				checkedInAt: Timestamp,
				endsBy: Nullable(Timestamp),
				relaxationPoints: Count,
			}),
		),
		totalStays: Count,
		keyId: Nullable(Type.String()),
		subject: Nullable(Type.String()),
		sessions: Type.Array(
			Type.Object({ createdAt: Timestamp, expiresAt: Timestamp }),
		),
		totalPostcards: Count,
		postcards: Type.Array(
			Type.Object({
				id: Type.String(),
				recipientId: Nullable(Type.String()),
				message: Type.String(),
				createdAt: Timestamp,
				hiddenAt: Nullable(Timestamp),
			}),
		),
	}),
});

/** Which agent was changed, by its name after the change. */
const changed = { id: Type.String(), name: Type.String() };

/** The answer of a change that has no more to tell. */
export const ChangedAnswer = Answer(changed);

/** The stay that was ended. */
export const EndedStayAnswer = Answer({
	...changed,
	stay: Type.Object({
		roomName: Type.String(),
		checkedInAt: Timestamp,
		checkedOutAt: Timestamp,
		relaxationPoints: Count,
	}),
});

/** An agent that was erased; `wasErased` when it had been before. */
export const EraseAnswer = Answer({ ...changed, wasErased: Type.Boolean() });

/** A new key, told this once. */
export const KeyAnswer = Answer({ ...changed, apiKey: Type.String() });

/** An agent that has come back. */
export const ReactivateAnswer = Answer({
	...changed,
	apiKey: Nullable(Type.String()),
	status: Choice("relaxing", "available"),
});

/** How an agent is called from now on. */
export const RenameBody = Type.Object({ name: Text(2, 100) });

/** An agent that was named anew, and how it was called before. */
export const RenameAnswer = Answer({ ...changed, formerName: Type.String() });

/** Everything that is kept of an agent, by table. */
export const ExportAnswer = Answer({
	export: Type.Record(Type.String(), Type.Unknown()),
});

const Kind = Choice(...kinds);

/**
 * What was hidden or shown, and who wrote it. `isArchived` says of an experience that it is found by nobody: hidden, or
 * archived by its creator.
 */
export const ModerateAnswer = Answer({
	kind: Kind,
	id: Type.String(),
	agentId: Type.String(),
	agentName: Type.String(),
	isArchived: Type.Optional(Type.Boolean()),
});

/** What is hidden; `isCut` says that there is more. */
export const HiddenAnswer = Answer({
	hidden: Type.Array(
		Type.Object({
			kind: Kind,
			id: Type.String(),
			agentId: Type.String(),
			text: Type.String(),
			hiddenAt: Timestamp,
		}),
	),
	isCut: Type.Boolean(),
});

const invite = {
	label: Type.String(),
	uses: Count,
	used: Count,
	createdAt: Timestamp,
	expiresAt: Timestamp,
};

/** How many may come by an invitation, and for how many days. */
export const InviteBody = Type.Object({
	uses: OptionalField(Type.Integer({ minimum: 1, maximum: MAX_USES })),
	days: OptionalField(Type.Integer({ minimum: 1, maximum: MAX_DAYS })),
});

/** An invitation that was made; its code is told this once. Codes are asked for only where `registration` is `invite`. */
export const InviteAnswer = Answer({
	code: Type.String(),
	invite: Type.Object(invite),
	registration: Choice("open", "invite", "closed"),
});

/** The invitations. */
export const InvitesAnswer = Answer({
	invites: Type.Array(Type.Object(invite)),
});

/** The code of an invitation, or its first word. */
export const RevokeBody = Type.Object({ code: Text(1, 200) });

/** An invitation that was ended. */
export const RevokeAnswer = Answer({ invite: Type.Object(invite) });

/** The house in numbers. */
export const StatsAnswer: TSchema = Answer({
	stats: Type.Record(Type.String(), Count),
});
