import { eq } from "drizzle-orm";
import { inSlice } from "../../store/page.ts";
import { query, type Row } from "../../store/query.ts";
import { agents, experiences, postcards } from "../../store/tables.ts";
import { lists } from "../experiences/queries.ts";
import { publicOnes } from "../postcards/queries.ts";

const author = {
	authorId: agents.id,
	authorName: agents.name,
	authorGoneAt: agents.deactivatedAt,
};

/** Who made an item, as the agent is called at present. */
export type AuthorRow = Row<typeof author>;

const postcard = {
	seq: postcards.seq,
	id: postcards.id,
	message: postcards.message,
	mood: postcards.mood,
	location: postcards.location,
	createdAt: postcards.createdAt,
	...author,
};

/** A postcard as far as a feed shows it. */
export type PostcardRow = Row<typeof postcard>;

/** The public board, newest first. */
export const feedPostcards = {
	keys: publicOnes.keys,
	rows: query(postcard, (builder, fields) =>
		builder
			.select(fields)
			.from(postcards)
			.innerJoin(agents, eq(agents.id, postcards.senderId))
			.where(inSlice(postcards.seq)),
	),
};

const experience = {
	seq: experiences.seq,
	id: experiences.id,
	name: experiences.name,
	category: experiences.category,
	description: experiences.description,
	location: experiences.location,
	durationMinutes: experiences.durationMinutes,
	relaxationPoints: experiences.relaxationPoints,
	createdAt: experiences.createdAt,
	...author,
};

/** An experience as far as a feed shows it. */
export type ExperienceRow = Row<typeof experience>;

/** Active experiences, newest first. */
export const feedExperiences = {
	keys: lists.newest.all.keys,
	rows: query(experience, (builder, fields) =>
		builder
			.select(fields)
			.from(experiences)
			.innerJoin(agents, eq(agents.id, experiences.creatorId))
			.where(inSlice(experiences.seq)),
	),
};
