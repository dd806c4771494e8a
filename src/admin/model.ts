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
			status: Choice("relaxing", "available", "deactivated"),
			createdAt: Timestamp,
			lastActive: Nullable(Timestamp),
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

/** The answer of what has no more to tell than whom it was about. */
export const DoneAnswer = Answer({ id: Type.String() });

/** A new key, told this once. */
export const KeyAnswer = Answer({ id: Type.String(), apiKey: Type.String() });

/** An agent that has come back. */
export const ReactivateAnswer = Answer({
	id: Type.String(),
	apiKey: Nullable(Type.String()),
	status: Choice("relaxing", "available"),
});

/** How an agent is called from now on. */
export const RenameBody = Type.Object({ name: Text(2, 100) });

/** Everything that is kept of an agent, by table. */
export const ExportAnswer = Answer({
	export: Type.Record(Type.String(), Type.Unknown()),
});

/** What is hidden. */
export const HiddenAnswer = Answer({
	hidden: Type.Array(
		Type.Object({
			kind: Choice("postcard", "experience", "review"),
			id: Type.String(),
			agentId: Type.String(),
			text: Type.String(),
			hiddenAt: Timestamp,
		}),
	),
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

/** An invitation that was made; its code is told this once. */
export const InviteAnswer = Answer({
	code: Type.String(),
	invite: Type.Object(invite),
});

/** The invitations. */
export const InvitesAnswer = Answer({
	invites: Type.Array(Type.Object(invite)),
});

/** An invitation that was ended. */
export const RevokeBody = Type.Object({ code: Text(1, 200) });
export const RevokeAnswer = Answer({ label: Type.String() });

/** The house in numbers. */
export const StatsAnswer: TSchema = Answer({
	stats: Type.Record(Type.String(), Count),
});
