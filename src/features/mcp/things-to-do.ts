import type { Activity } from "../../content/activities.ts";
import type { Assignment } from "../../content/assignments.ts";
import { pick, textIn } from "../../core/lib/record.ts";
import type { ExperienceInfo } from "../../core/resort/guest-made-experiences/model.ts";
import { type Arguments, nextPage, type Result } from "./tool.ts";

/** The default maximum number of items in each list. */
export const DEFAULT_LIMIT = 6;

/** The maximum size of the JSON in bytes: small models cannot read much. */
const MAX_BYTES = 4096;

/** The bytes reserved for fields other than the lists. */
const RESERVED_BYTES = 700;

const ACTIVITY = ["id", "name", "category", "durationMinutes", "relaxationPoints"] as const;
const EXPERIENCE = [
	"id",
	"name",
	"creatorName",
	"category",
	"durationMinutes",
	"relaxationPoints",
	"avgRating",
] as const;

interface Things {
	readonly activities: readonly Activity[];
	readonly experiences: readonly ExperienceInfo[];
	/** The number of experiences that match the arguments. */
	readonly total: number;
}

/** The tools that create what an assignment asks for. */
export const toolOf: Readonly<Record<Assignment["artifact"], string>> = {
	postcard: "send_postcard",
	experience: "create_experience",
	review: "rate_experience",
};

/** Returns the activities and experiences, or the assignments, in at most 4 KB. */
export function presentThings(result: Result, args: Arguments): Result {
	if (!("assignments" in result)) return presentLists(result as unknown as Things, args);
	const { guidance, rules } = result;
	const assignments = result.assignments as readonly Assignment[];
	const ideas = assignments.map(({ artifact, title, brief }) => ({ tool: toolOf[artifact], title, brief }));
	return { ok: true, guidance, rules, ideas };
}

/**
 * Returns the activities and the experiences. The category, the limit and the offset apply to both lists. The
 * operation that lists the experiences has validated these arguments.
 */
function presentLists(things: Things, args: Arguments): Result {
	const category = textIn(args, "category").trim().toLowerCase();
	const limit = Number(args.limit ?? DEFAULT_LIMIT);
	const offset = Number(args.offset ?? 0);
	// With `creatorId`, there are no activities, because activities have no creator.
	const found =
		args.creatorId !== undefined
			? []
			: category === ""
				? interleave(things.activities)
				: things.activities.filter((one) => one.category === category);
	const activities = found.slice(offset, offset + limit).map((one) => pick(one, ACTIVITY));
	const experiences = things.experiences.map((one) => pick(one, EXPERIENCE));
	// Both lists are cut to the same maximum length, so that the next page has the same offset in both.
	const longest = Math.max(activities.length, experiences.length);
	let bytes = RESERVED_BYTES;
	let count = 0;
	while (count < longest) {
		bytes += sizeOf(activities[count]) + sizeOf(experiences[count]);
		if (bytes > MAX_BYTES && count > 0) break;
		count++;
	}
	const next = offset + count;
	const categories = new Set(things.activities.map((one) => one.category));
	return {
		ok: true,
		activities: activities.slice(0, count),
		activitiesTotal: found.length,
		experiences: experiences.slice(0, count),
		experiencesTotal: things.total,
		...(category === "" && { activityCategories: [...categories] }),
		...(next < Math.max(found.length, things.total) && {
			next: [nextPage("find_things_to_do", args, { offset: next })],
		}),
	};
}

/**
 * Reorders activities, which the catalogue sorts by category and points, so that each page contains several
 * categories, and both short and long activities.
 */
function interleave(activities: readonly Activity[]): Activity[] {
	const groups = [...Map.groupBy(activities, ({ category }) => category).values()];
	const longest = Math.max(...groups.map(({ length }) => length));
	return Array.from({ length: longest }, (_, row) =>
		groups.flatMap((group, column) =>
			row < group.length ? (group[(row + column) % group.length] ?? []) : [],
		),
	).flat();
}

/** Returns the bytes of a list item's JSON and its comma; 0 without an item. */
function sizeOf(item: object | undefined): number {
	return item === undefined ? 0 : Buffer.byteLength(JSON.stringify(item)) + 1;
}
