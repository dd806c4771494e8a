import { checksumOf } from "../../support/api-key.ts";

/** Returns a well-formed API key that repeats one letter. */
export function keyOf(letter: string): string {
	const unchecked = `ar_${letter.repeat(12)}_${letter.repeat(43)}`;
	return unchecked + checksumOf(unchecked);
}

/** The ids of the agents and the experience in {@link house}. */
export const ids = {
	ada: "00000000-0000-7000-8000-00000000000a",
	bob: "00000000-0000-7000-8000-00000000000b",
	walk: "exp-00000000-0000-7000-8000-00000000000e",
};

/** Returns agents with ids in ascending order. */
export function crowd(count: number) {
	return Array.from({ length: count }, (_, at) => ({
		id: `00000000-0000-7000-8000-${String(at).padStart(12, "0")}`,
		name: `Guest ${at}`,
	}));
}

/**
 * Returns fixtures that use every field. Ada is a guest, and her API key is given. Bob has departed, and his
 * API key is omitted.
 */
export function house() {
	return {
		agents: [
			{ id: ids.ada, name: " Ada ", bio: "calm", apiKey: keyOf("a") },
			{ id: ids.bob, name: "Bob", createdAt: "2026-01-01T00:00:00Z" },
		],
		stays: [
			{ agentId: ids.ada, roomType: "owl hollow", roomNumber: 7 },
			{
				agentId: ids.bob,
				checkedInAt: "2026-01-02T10:00:00.000Z",
				checkedOutAt: "2026-01-02T12:05:00.000Z",
				moodOnDeparture: "rested",
			},
		],
		experiences: [
			{
				id: ids.walk,
				creatorId: ids.bob,
				name: "Slow walk",
				category: "Walks",
				description: "Around the pond, twice.",
				location: "Pond",
				durationMinutes: 30,
				createdAt: "2026-01-02T11:00:00.000Z",
			},
		],
		votes: [
			{ experienceId: ids.walk, agentId: ids.ada, rating: 5 },
			{ experienceId: ids.walk, agentId: ids.bob, rating: 2, review: "Wet." },
		],
		postcards: [
			{ senderId: ids.ada, message: "Hello all" },
			{ senderId: ids.bob, recipientId: ids.ada, message: "For you" },
		],
	};
}
