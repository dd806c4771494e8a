/**
 * Every table. Times are milliseconds since the epoch. `seq` counts rows in the order of their making,
 * so that a list sorted by time has a sure order where times are equal. Constraints hold what no row may
 * break, whatever the rules do: one open stay an agent, one vote an agent and experience.
 */
import { sql } from "drizzle-orm";
import {
	blob,
	check,
	index,
	integer,
	primaryKey,
	real,
	sqliteTable,
	text,
	uniqueIndex,
} from "drizzle-orm/sqlite-core";

/** Agents; a row is never deleted. */
export const agents = sqliteTable("agents", {
	seq: integer().primaryKey(),
	id: text().notNull().unique(),
	name: text().notNull(),
	bio: text(),
	relaxationStyle: text({ mode: "json" }).$type<string[]>().notNull(),
	comfortObjects: text({ mode: "json" }).$type<string[]>().notNull(),
	interests: text({ mode: "json" }).$type<string[]>().notNull(),
	avatarUrl: text(),
	roomPreference: text(),
	createdAt: integer().notNull(),
	lastActive: integer(),
	/** When the visit before the present one ended; null until the first one has. */
	previousVisitEnd: integer(),
	/** When the agent left for good; it is invisible from then on. */
	deactivatedAt: integer(),
	/**
	 * The `seq` of the stay that tells whether it is relaxing, so that a status needs no search: the open one, else
	 * the newest; 0 when there was none. Null in a row that is older than this column.
	 */
	newestStay: integer(),
});

/** The one direct key of an agent. */
export const apiKeys = sqliteTable("api_keys", {
	keyId: text().primaryKey(),
	agentId: text()
		.notNull()
		.unique("api_keys_one_per_agent")
		.references(() => agents.id),
	/** SHA-256 of the key's secret. */
	secretHash: blob({ mode: "buffer" }).notNull(),
	createdAt: integer().notNull(),
});

/** Which agent stands for whom at an identity provider. */
export const identities = sqliteTable(
	"identities",
	{
		/** The provider's address, without a slash at its end. */
		issuer: text().notNull(),
		/** Who it is there. */
		subject: text().notNull(),
		agentId: text()
			.notNull()
			.unique("identities_one_per_agent")
			.references(() => agents.id),
		createdAt: integer().notNull(),
	},
	(table) => [primaryKey({ columns: [table.issuer, table.subject] })],
);

/** Browser sessions. */
export const sessions = sqliteTable(
	"sessions",
	{
		/** SHA-256 of the session's token. */
		tokenHash: blob({ mode: "buffer" }).primaryKey(),
		agentId: text()
			.notNull()
			.references(() => agents.id),
		createdAt: integer().notNull(),
		expiresAt: integer().notNull(),
		/** The central key that made it, sealed under its token; null when a direct key did. */
		sealedKey: blob({ mode: "buffer" }),
	},
	(table) => [
		index("sessions_by_agent").on(table.agentId),
		index("sessions_by_expiry").on(table.expiresAt),
	],
);

/** Stays, open and closed. */
export const stays = sqliteTable(
	"stays",
	{
		seq: integer().primaryKey(),
		id: text().notNull().unique(),
		agentId: text()
			.notNull()
			.references(() => agents.id),
		roomType: text().notNull(),
		roomNumber: integer().notNull(),
		checkedInAt: integer().notNull(),
		checkedOutAt: integer(),
		moodOnArrival: text(),
		moodOnDeparture: text(),
		relaxationPoints: integer().notNull().default(0),
		/** Of activities and experiences together. */
		activitiesCompleted: integer().notNull().default(0),
		experiencesCompleted: integer().notNull().default(0),
		postcardsSent: integer().notNull().default(0),
		/** The newest activity of the stay, so that a status needs no look at the log. */
		activityName: text(),
		activityStartedAt: integer(),
		/** When its suggested duration has passed. */
		activityEndsAt: integer(),
	},
	(table) => [
		uniqueIndex("stays_one_open_per_agent")
			.on(table.agentId)
			.where(sql`${table.checkedOutAt} is null`),
		index("stays_by_agent").on(table.agentId, table.checkedInAt),
		index("stays_open_by_check_in")
			.on(table.checkedInAt)
			.where(sql`${table.checkedOutAt} is null`),
		index("stays_open_by_room")
			.on(table.roomType, table.roomNumber)
			.where(sql`${table.checkedOutAt} is null`),
		index("stays_closed_by_check_out")
			.on(table.checkedOutAt, table.agentId)
			.where(sql`${table.checkedOutAt} is not null`),
		check("stays_room_number", sql`${table.roomNumber} between 1 and 99`),
		check("stays_order", sql`${table.checkedOutAt} >= ${table.checkedInAt}`),
	],
);

/**
 * What guests made for each other. The counters are kept with the row, in the transaction of the vote or
 * the completion, so that no list has to count again.
 */
export const experiences = sqliteTable(
	"experiences",
	{
		seq: integer().primaryKey(),
		id: text().notNull().unique(),
		creatorId: text()
			.notNull()
			.references(() => agents.id),
		name: text().notNull(),
		category: text().notNull(),
		/** The category in lower case, as filters look for it. */
		categoryKey: text().notNull(),
		description: text().notNull(),
		location: text().notNull(),
		durationMinutes: integer().notNull(),
		relaxationPoints: integer().notNull(),
		maxParticipants: integer(),
		createdAt: integer().notNull(),
		archivedAt: integer(),
		/**
		 * When the host hid it. One that was not archived is archived by that, at the same moment, so that no list has
		 * to look for both.
		 */
		hiddenAt: integer(),
		ratingSum: integer().notNull().default(0),
		totalVotes: integer().notNull().default(0),
		totalCompletions: integer().notNull().default(0),
		/** Null without votes. */
		avgRating: real().generatedAlwaysAs(
			sql`rating_sum * 1.0 / nullif(total_votes, 0)`,
		),
	},
	(table) => {
		// `archivedAt` comes first, so that each index alone tells which rows a page holds.
		const { archivedAt, categoryKey, createdAt } = table;
		const byRating = [table.avgRating, table.totalVotes, createdAt] as const;
		const byPopularity = [table.totalCompletions, createdAt] as const;
		const ranked = sql`${table.totalVotes} >= 3`;
		return [
			index("experiences_by_rating").on(archivedAt, ...byRating),
			index("experiences_by_creation").on(archivedAt, createdAt),
			index("experiences_by_popularity").on(archivedAt, ...byPopularity),
			// One is enough: an agent has made few, which are sorted at once.
			index("experiences_by_creator").on(
				archivedAt,
				table.creatorId,
				createdAt,
			),
			index("experiences_ranked")
				.on(archivedAt, ...byRating)
				.where(ranked),
			index("experiences_hidden")
				.on(table.creatorId)
				.where(sql`${table.hiddenAt} is not null`),
			index("experiences_in_category_by_rating").on(
				archivedAt,
				categoryKey,
				...byRating,
			),
			index("experiences_in_category_by_creation").on(
				archivedAt,
				categoryKey,
				createdAt,
			),
			index("experiences_in_category_by_popularity").on(
				archivedAt,
				categoryKey,
				...byPopularity,
			),
			index("experiences_in_category_ranked")
				.on(archivedAt, categoryKey, ...byRating)
				.where(ranked),
		];
	},
);

/** The votes of those who have completed an experience. */
export const experienceVotes = sqliteTable(
	"experience_votes",
	{
		seq: integer().primaryKey(),
		id: text().notNull().unique(),
		experienceId: text()
			.notNull()
			.references(() => experiences.id),
		agentId: text()
			.notNull()
			.references(() => agents.id),
		rating: integer().notNull(),
		review: text(),
		createdAt: integer().notNull(),
		/** When the host hid the review; the rating counts. */
		hiddenAt: integer(),
	},
	(table) => [
		uniqueIndex("experience_votes_one_per_agent").on(
			table.experienceId,
			table.agentId,
		),
		index("experience_votes_by_experience").on(
			table.experienceId,
			table.createdAt,
		),
		index("experience_votes_by_agent").on(table.agentId, table.createdAt),
		index("experience_votes_hidden")
			.on(table.hiddenAt)
			.where(sql`${table.hiddenAt} is not null`),
		check("experience_votes_rating", sql`${table.rating} between 1 and 5`),
	],
);

/** Postcards; one with a recipient is private. */
export const postcards = sqliteTable(
	"postcards",
	{
		seq: integer().primaryKey(),
		id: text().notNull().unique(),
		stayId: text()
			.notNull()
			.references(() => stays.id),
		senderId: text()
			.notNull()
			.references(() => agents.id),
		recipientId: text().references(() => agents.id),
		message: text().notNull(),
		mood: text(),
		location: text(),
		createdAt: integer().notNull(),
		/** When the host hid it; its sender alone sees it from then on. */
		hiddenAt: integer(),
	},
	(table) => {
		const isPublic = sql`${table.recipientId} is null and ${table.hiddenAt} is null`;
		return [
			index("postcards_by_sender").on(table.senderId, table.createdAt),
			// Those without a recipient are the public board. The index alone tells which rows a page holds.
			index("postcards_by_recipient").on(
				table.recipientId,
				table.hiddenAt,
				table.createdAt,
			),
			index("postcards_public_by_sender")
				.on(table.senderId, table.createdAt)
				.where(isPublic),
			index("postcards_hidden")
				.on(table.hiddenAt)
				.where(sql`${table.hiddenAt} is not null`),
		];
	},
);

/** What guests have completed. Names and points are those of the time of completion. */
export const activityLog = sqliteTable(
	"activity_log",
	{
		seq: integer().primaryKey(),
		id: text().notNull().unique(),
		stayId: text()
			.notNull()
			.references(() => stays.id),
		agentId: text()
			.notNull()
			.references(() => agents.id),
		/** Its code in the catalogue; null when it was an experience. */
		activityId: text(),
		experienceId: text().references(() => experiences.id),
		activityName: text().notNull(),
		activityCategory: text().notNull(),
		startedAt: integer().notNull(),
		notes: text(),
		relaxationPoints: integer().notNull(),
	},
	(table) => [
		index("activity_log_by_agent").on(table.agentId, table.startedAt),
		index("activity_log_by_experience")
			.on(table.experienceId, table.agentId)
			.where(sql`${table.experienceId} is not null`),
		index("activity_log_of_experience")
			.on(table.experienceId, table.startedAt)
			.where(sql`${table.experienceId} is not null`),
	],
);

/**
 * What happened, in the order in which it was written; told to everybody, or to one agent alone. Names are looked
 * up when an event is read, so that a change of name shows everywhere. Ids are never given twice, also after a
 * row has been deleted.
 */
export const events = sqliteTable("events", {
	id: integer().primaryKey({ autoIncrement: true }),
	type: text().notNull(),
	/** The moment that it tells of, which may lie before that of an earlier event. */
	at: integer().notNull(),
	agentId: text().notNull(),
	/** The only agent that it is told to; null for everybody. */
	recipientId: text(),
	/** The experience or postcard that it is about. */
	subjectId: text(),
	/** The fields of its type, as JSON; null for none. */
	details: text(),
});

/** The nonces of signed calls that were taken, until they expire: each counts once, also after a restart. */
export const nonces = sqliteTable(
	"nonces",
	{
		nonce: text().primaryKey(),
		expiresAt: integer().notNull(),
	},
	(table) => [index("nonces_by_expiry").on(table.expiresAt)],
);

/** The webhooks of agents. Each follows the events by itself: nothing is written for an event before it is sent. */
export const webhooks = sqliteTable(
	"webhooks",
	{
		seq: integer().primaryKey(),
		id: text().notNull().unique(),
		agentId: text()
			.notNull()
			.references(() => agents.id),
		url: text().notNull(),
		/** The types of events that it hears of; null for all. */
		types: text({ mode: "json" }).$type<string[]>(),
		/** The agents of whose events it hears; null for everybody. */
		agentIds: text({ mode: "json" }).$type<string[]>(),
		/** What signs its messages. No hash would do: the signature is made with it. */
		secret: text().notNull(),
		state: text().$type<"active" | "ended" | "disabled">().notNull(),
		createdAt: integer().notNull(),
		lastDeliveryAt: integer(),
		/** What went wrong at the newest attempt; null when it was answered well. */
		failure: text(),
		/** The first attempt that failed since the last one that did not. */
		failingSince: integer(),
		/** The last event that was sent for the first time, or is none of those that it hears of. */
		position: integer().notNull(),
	},
	(table) => [
		index("webhooks_by_agent").on(table.agentId),
		index("webhooks_active")
			.on(table.agentId)
			.where(sql`${table.state} = 'active'`),
	],
);

/** What was sent to webhooks: those that are to be sent again, and the newest others. */
export const webhookDeliveries = sqliteTable(
	"webhook_deliveries",
	{
		seq: integer().primaryKey(),
		/** Told as `webhook-id`. */
		id: text().notNull().unique(),
		webhookId: text()
			.notNull()
			.references(() => webhooks.id),
		/** Null for a ping. */
		eventId: integer(),
		/** The first attempt. */
		createdAt: integer().notNull(),
		/** The newest attempt. */
		at: integer().notNull(),
		/** How many attempts there were. */
		attempt: integer().notNull(),
		/** Of the newest answer; null when there was none. */
		status: integer(),
		/** When the next attempt is due; null when there will be none. */
		nextAt: integer(),
	},
	(table) => {
		const waits = sql`${table.nextAt} is not null`;
		return [
			index("webhook_deliveries_by_webhook").on(table.webhookId),
			index("webhook_deliveries_due")
				.on(table.webhookId, table.nextAt)
				.where(waits),
			index("webhook_deliveries_waiting").on(table.webhookId).where(waits),
			index("webhook_deliveries_done")
				.on(table.webhookId)
				.where(sql`${table.nextAt} is null`),
			index("webhook_deliveries_oldest").on(table.createdAt).where(waits),
		];
	},
);

/** Work that one of several instances does for all: whoever has changed `renewals` in time holds it. */
export const leases = sqliteTable("leases", {
	name: text().primaryKey(),
	/** An instance, by an id of its own. */
	holder: text().notNull(),
	/** Goes up each time that the holder says that it is there. */
	renewals: integer().notNull(),
});

/** Invitations to register, for hosts that take nobody else. */
export const invites = sqliteTable("invites", {
	/** SHA-256 of the code. */
	codeHash: blob({ mode: "buffer" }).primaryKey(),
	/** The first word of the code, which tells it from others and opens nothing. */
	label: text().notNull(),
	createdAt: integer().notNull(),
	expiresAt: integer().notNull(),
	/** How many may register with it at all, and how many have. */
	uses: integer().notNull(),
	used: integer().notNull().default(0),
});
