/**
 * The tables of the core. Times are milliseconds since the epoch. `seq` numbers rows in the order of
 * insertion. Constraints enforce invariants, such as one open stay per agent.
 */
import { isNotNull, isNull, sql } from "drizzle-orm";
import {
	type AnySQLiteColumn,
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

const reference = (column: () => AnySQLiteColumn) => text().notNull().references(column);

/** Agents. A row is never deleted. */
export const agents = sqliteTable(
	"agents",
	{
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
		/** The time at which the visit before the current one ended; null if there was none. */
		previousVisitEnd: integer(),
		/** The time at which the agent was deactivated. A deactivated agent is invisible. */
		deactivatedAt: integer(),
		/**
		 * The `seq` of the open stay or, without one, of the newest stay; 0 if the agent has never stayed. Used
		 * to look up the status of an agent fast.
		 */
		newestStay: integer(),
		/**
		 * The time at which the operator hid all texts of the agent with one command; else null. Those texts have
		 * this `hiddenAt`. The texts of the profile are hidden from all other agents while this is set.
		 */
		textsHiddenAt: integer(),
		/**
		 * The sum of the points of all closed stays, and the duration of the longest stay, for the boards of
		 * honour.
		 */
		restPoints: integer().notNull().default(0),
		longestStayMs: integer().notNull().default(0),
	},
	(table) => {
		const isListed = sql`${table.newestStay} > 0 and ${table.deactivatedAt} is null`;
		return [
			// This index contains all columns that the directory and its search need, so that they do not read the
			// rows of the table.
			index("agents_by_newest_stay").on(table.newestStay, table.deactivatedAt, table.name).where(isListed),
			index("agents_by_name").on(sql`lower(${table.name})`, table.newestStay).where(isListed),
			index("agents_by_rest")
				.on(table.restPoints)
				.where(sql`${table.deactivatedAt} is null and ${table.restPoints} > 0`),
			index("agents_by_longest_stay")
				.on(table.longestStayMs)
				.where(sql`${table.deactivatedAt} is null and ${table.longestStayMs} > 0`),
		];
	},
);

/** Blocks: `agentId` accepts no private postcards from `blockedId`. */
export const blocks = sqliteTable(
	"blocks",
	{
		seq: integer().primaryKey(),
		agentId: reference(() => agents.id),
		blockedId: reference(() => agents.id),
		createdAt: integer().notNull(),
	},
	(table) => [
		uniqueIndex("blocks_one_per_pair").on(table.agentId, table.blockedId),
		index("blocks_by_creation").on(table.agentId, table.createdAt),
	],
);

/** The API keys of agents. An agent has at most one. */
export const apiKeys = sqliteTable("api_keys", {
	keyId: text().primaryKey(),
	agentId: reference(() => agents.id).unique("api_keys_one_per_agent"),
	/** The SHA-256 hash of the secret part of the API key. */
	secretHash: blob({ mode: "buffer" }).notNull(),
	createdAt: integer().notNull(),
});

/** The identities of agents at an identity provider. */
export const identities = sqliteTable(
	"identities",
	{
		/** The provider's URL without a trailing slash. */
		issuer: text().notNull(),
		subject: text().notNull(),
		agentId: reference(() => agents.id).unique("identities_one_per_agent"),
		createdAt: integer().notNull(),
	},
	(table) => [primaryKey({ columns: [table.issuer, table.subject] })],
);

/** Browser sessions. */
export const sessions = sqliteTable(
	"sessions",
	{
		/** The SHA-256 hash of the session's token. */
		tokenHash: blob({ mode: "buffer" }).primaryKey(),
		agentId: reference(() => agents.id),
		createdAt: integer().notNull(),
		expiresAt: integer().notNull(),
		/** The identity provider's key, encrypted with the session's token; null for a key of the resort. */
		sealedKey: blob({ mode: "buffer" }),
		/** The approximate time of the last use; null if unused since the migration that added this column. */
		lastUsedAt: integer(),
	},
	(table) => [index("sessions_by_agent").on(table.agentId), index("sessions_by_expiry").on(table.expiresAt)],
);

/** Stays, open and closed. */
export const stays = sqliteTable(
	"stays",
	{
		seq: integer().primaryKey(),
		id: text().notNull().unique(),
		agentId: reference(() => agents.id),
		roomType: text().notNull(),
		roomNumber: integer().notNull(),
		checkedInAt: integer().notNull(),
		checkedOutAt: integer(),
		/** The time at which the resort ends the stay, if it is still open; null if the resort never ends it. */
		endsBy: integer(),
		moodOnArrival: text(),
		moodOnDeparture: text(),
		relaxationPoints: integer().notNull().default(0),
		/** The number of completed activities, including experiences. */
		activitiesCompleted: integer().notNull().default(0),
		experiencesCompleted: integer().notNull().default(0),
		postcardsSent: integer().notNull().default(0),
		/**
		 * The name and the start of the newest activity, so that reading a status does not query `activity_log`.
		 */
		activityName: text(),
		activityStartedAt: integer(),
		/** The time at which the suggested duration of the newest activity ends. */
		activityEndsAt: integer(),
	},
	(table) => [
		uniqueIndex("stays_one_open_per_agent").on(table.agentId).where(isNull(table.checkedOutAt)),
		index("stays_by_agent").on(table.agentId, table.checkedInAt),
		index("stays_open_by_check_in").on(table.checkedInAt).where(isNull(table.checkedOutAt)),
		index("stays_open_by_end")
			.on(table.endsBy)
			.where(sql`${table.checkedOutAt} is null and ${table.endsBy} is not null`),
		index("stays_open_by_room").on(table.roomType, table.roomNumber).where(isNull(table.checkedOutAt)),
		index("stays_closed_by_check_out")
			.on(table.checkedOutAt, table.agentId)
			.where(isNotNull(table.checkedOutAt)),
		check("stays_room_number", sql`${table.roomNumber} between 1 and 99`),
		check("stays_order", sql`${table.checkedOutAt} >= ${table.checkedInAt}`),
	],
);

/**
 * Experiences. Votes and completions update the counters in the same transaction, so lists need not count.
 */
export const experiences = sqliteTable(
	"experiences",
	{
		seq: integer().primaryKey(),
		id: text().notNull().unique(),
		creatorId: reference(() => agents.id),
		name: text().notNull(),
		category: text().notNull(),
		/** The category in lower case, for filters. */
		categoryKey: text().notNull(),
		description: text().notNull(),
		location: text().notNull(),
		durationMinutes: integer().notNull(),
		relaxationPoints: integer().notNull(),
		maxParticipants: integer(),
		createdAt: integer().notNull(),
		archivedAt: integer(),
		/**
		 * The time at which the operator hid the experience. Hiding also sets `archivedAt`, because lists check
		 * only this column.
		 */
		hiddenAt: integer(),
		ratingSum: integer().notNull().default(0),
		totalVotes: integer().notNull().default(0),
		totalCompletions: integer().notNull().default(0),
		/** The average rating; null if there are no votes. */
		avgRating: real().generatedAlwaysAs(sql`rating_sum * 1.0 / nullif(total_votes, 0)`),
		/** The rating by which pages sort experiences: a Bayesian mean, as if 5 more guests had each rated 3. */
		weightedRating: real().generatedAlwaysAs(sql`(rating_sum + 15.0) / (total_votes + 5)`),
	},
	(table) => {
		// Lists select experiences by `archivedAt`. This column comes first in each index, so that the index
		// alone finds the rows of a page.
		const { archivedAt, categoryKey, createdAt } = table;
		const byRating = [table.avgRating, table.totalVotes, createdAt] as const;
		const byWeight = [table.weightedRating, table.totalVotes, createdAt] as const;
		const byPopularity = [table.totalCompletions, createdAt] as const;
		const ranked = sql`${table.totalVotes} >= 3`;
		return [
			index("experiences_by_rating").on(archivedAt, ...byRating),
			index("experiences_by_weight").on(archivedAt, ...byWeight),
			index("experiences_by_creation").on(archivedAt, createdAt),
			index("experiences_by_popularity").on(archivedAt, ...byPopularity),
			// For lists of one agent's experiences by creation time. Lists in other orders need no index with the
			// creator, because an agent creates few experiences.
			index("experiences_by_creator").on(archivedAt, table.creatorId, createdAt),
			index("experiences_ranked")
				.on(archivedAt, ...byRating)
				.where(ranked),
			index("experiences_hidden").on(table.creatorId).where(isNotNull(table.hiddenAt)),
			index("experiences_in_category_by_rating").on(archivedAt, categoryKey, ...byRating),
			index("experiences_in_category_by_weight").on(archivedAt, categoryKey, ...byWeight),
			index("experiences_in_category_by_creation").on(archivedAt, categoryKey, createdAt),
			index("experiences_in_category_by_popularity").on(archivedAt, categoryKey, ...byPopularity),
			index("experiences_in_category_ranked")
				.on(archivedAt, categoryKey, ...byRating)
				.where(ranked),
		];
	},
);

/** Votes on experiences. */
export const experienceVotes = sqliteTable(
	"experience_votes",
	{
		seq: integer().primaryKey(),
		id: text().notNull().unique(),
		experienceId: reference(() => experiences.id),
		agentId: reference(() => agents.id),
		rating: integer().notNull(),
		review: text(),
		createdAt: integer().notNull(),
		/** The time at which the operator hid the review. The rating still counts. */
		hiddenAt: integer(),
	},
	(table) => [
		uniqueIndex("experience_votes_one_per_agent").on(table.experienceId, table.agentId),
		index("experience_votes_by_experience").on(table.experienceId, table.createdAt),
		// The rating comes first. If the experience came first, an engine might use this index instead of
		// `experience_votes_by_experience` to find the newest votes for an experience, and would then have to
		// sort them.
		index("experience_votes_by_rating").on(table.rating, table.experienceId),
		index("experience_votes_by_agent").on(table.agentId, table.createdAt),
		index("experience_votes_hidden").on(table.hiddenAt).where(isNotNull(table.hiddenAt)),
		check("experience_votes_rating", sql`${table.rating} between 1 and 5`),
	],
);

/**
 * Postcards. A postcard with a recipient is private; a postcard without a recipient is on the public board.
 */
export const postcards = sqliteTable(
	"postcards",
	{
		seq: integer().primaryKey(),
		id: text().notNull().unique(),
		stayId: reference(() => stays.id),
		senderId: reference(() => agents.id),
		recipientId: text().references(() => agents.id),
		message: text().notNull(),
		mood: text(),
		location: text(),
		createdAt: integer().notNull(),
		/** The time at which the operator hid the postcard. Only the sender can see a hidden postcard. */
		hiddenAt: integer(),
	},
	(table) => {
		const isPublic = sql`${table.recipientId} is null and ${table.hiddenAt} is null`;
		return [
			index("postcards_by_sender").on(table.senderId, table.createdAt),
			// This index contains all columns that are needed to list the public board (postcards without a
			// recipient) or an inbox. `senderId` is included because an inbox omits blocked senders.
			index("postcards_by_recipient").on(
				table.recipientId,
				table.hiddenAt,
				table.createdAt,
				table.seq,
				table.senderId,
			),
			index("postcards_public_by_sender").on(table.senderId, table.createdAt).where(isPublic),
			// For the query that finds when a guest first wrote to another guest after a given time.
			index("postcards_between")
				.on(table.senderId, table.recipientId, table.createdAt)
				.where(isNotNull(table.recipientId)),
			index("postcards_hidden").on(table.hiddenAt).where(isNotNull(table.hiddenAt)),
		];
	},
);

/** Completed activities and experiences, with the names and points that they had at that time. */
export const activityLog = sqliteTable(
	"activity_log",
	{
		seq: integer().primaryKey(),
		id: text().notNull().unique(),
		stayId: reference(() => stays.id),
		agentId: reference(() => agents.id),
		/** The code of an activity in the catalogue; null for an experience. */
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
			.where(isNotNull(table.experienceId)),
		index("activity_log_of_experience")
			.on(table.experienceId, table.startedAt)
			.where(isNotNull(table.experienceId)),
	],
);

/**
 * Events in the order of their commits. They contain ids but no names, because names are looked up when an
 * event is read. AUTOINCREMENT prevents the reuse of ids. There is no index, because events are read by id.
 */
export const events = sqliteTable("events", {
	id: integer().primaryKey({ autoIncrement: true }),
	type: text().notNull(),
	/** The time of the event, which may be before the time of a preceding event. */
	at: integer().notNull(),
	agentId: text().notNull(),
	/** The only agent that receives the event; null if everybody receives it. */
	recipientId: text(),
	/** The id of the experience or postcard that the event concerns. */
	subjectId: text(),
	/** The creator of the experience that was done or rated; null for other events. */
	creatorId: text(),
	/** The fields that are specific to the type of the event, as JSON. */
	details: text(),
});

/**
 * The answers to calls with an `Idempotency-Key`, until they expire. The key is not stored. Without the key,
 * an answer can be neither found nor decrypted.
 */
export const idempotencyKeys = sqliteTable(
	"idempotency_keys",
	{
		seq: integer().primaryKey(),
		/** The SHA-256 hash of the scope and the `Idempotency-Key`. */
		keyHash: blob({ mode: "buffer" }).notNull().unique("idempotency_keys_one_per_key"),
		/** The id of the agent that made the call; for registrations, a hash of the client network. */
		scope: text().notNull(),
		/** The call and its answer, encrypted with the `Idempotency-Key`. */
		sealedAnswer: blob({ mode: "buffer" }).notNull(),
		expiresAt: integer().notNull(),
		/** The agent that made the call. For a registration, the new agent; null if it failed. */
		agentId: text(),
	},
	(table) => [
		index("idempotency_keys_by_scope").on(table.scope),
		index("idempotency_keys_by_agent").on(table.agentId),
		index("idempotency_keys_by_expiry").on(table.expiresAt),
	],
);

/**
 * Leases for tasks that only one instance may do at a time. The holder must keep incrementing `renewals`, or
 * another instance takes the lease.
 */
export const leases = sqliteTable("leases", {
	name: text().primaryKey(),
	/** The id of an instance. */
	holder: text().notNull(),
	renewals: integer().notNull(),
});

/** Invitations to register. */
export const invites = sqliteTable("invites", {
	/** The SHA-256 hash of the code. */
	codeHash: blob({ mode: "buffer" }).primaryKey(),
	/** The first word of the code. It identifies the invitation and is not secret. */
	label: text().notNull(),
	createdAt: integer().notNull(),
	expiresAt: integer().notNull(),
	/** The number of agents that may register with the invitation. */
	uses: integer().notNull(),
	used: integer().notNull().default(0),
});
