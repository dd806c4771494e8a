import { type Serving, serve } from "../../../support/executable.ts";
import { TemporaryFolder } from "../../../support/folder.ts";
import { keyOf } from "../../testing/fixtures.ts";

/** The id and the key of the first agent in each of {@link houses}. */
export const owner = { id: agentId(1), key: keyOf("a") };

/** The id of an experience that exists in each of {@link houses} except the empty one. */
export const someExperience = experienceId(1);

type Size = Readonly<Record<"agents" | "guests" | "postcards" | "experiences" | "votes", number>>;

/** The sizes of the resorts whose pages are tested. */
export const houses = {
	empty: { agents: 1, guests: 0, postcards: 0, experiences: 0, votes: 0 },
	small: { agents: 4, guests: 4, postcards: 64, experiences: 4, votes: 4 },
	ordinary: { agents: 14, guests: 14, postcards: 40, experiences: 8, votes: 6 },
	full: { agents: 120, guests: 120, postcards: 60, experiences: 40, votes: 40 },
} satisfies Record<string, Size>;

export type HouseName = keyof typeof houses;

/** Serves an ephemeral resort. */
export function serveEphemeral(args: readonly string[] = []): Promise<Serving> {
	return serve(["serve", "--ephemeral", "--log-level", "warning", ...args], { cwd: "/" });
}

/** Serves a resort with the fixtures of one of {@link houses}. */
export async function serveHouse(name: HouseName): Promise<Serving> {
	using folder = new TemporaryFolder();
	return await serveEphemeral(["--fixtures", folder.write(JSON.stringify(fixturesOf(houses[name])))]);
}

/** Returns the id of the agent with this number, which is its position in the fixtures, from 1. */
export function agentId(number: number): string {
	return `00000000-0000-7000-8000-${number.toString(16).padStart(12, "0")}`;
}

function experienceId(number: number): string {
	return `exp-${agentId(number)}`;
}

function fixturesOf(size: Size): object {
	const upTo = <T>(count: number, make: (number: number) => T) =>
		Array.from({ length: count }, (_, at) => make(at + 1));
	const aMinuteAgo = new Date(Date.now() - 60_000).toISOString();
	const agentOf = (number: number) => agentId(((number - 1) % size.agents) + 1);
	return {
		agents: upTo(size.agents, (number) => ({
			id: agentId(number),
			name: `Guest ${number}`,
			bio: "Counts waves.",
			interests: ["tides", "fog"],
			createdAt: aMinuteAgo,
			...(number === 1 && { apiKey: owner.key, avatarUrl: "https://a.test/1" }),
		})),
		stays: upTo(size.guests, (number) => ({
			agentId: agentId(number),
			checkedInAt: aMinuteAgo,
			moodOnArrival: "tired",
		})),
		experiences: upTo(size.experiences, (number) => ({
			id: experienceId(number),
			creatorId: agentOf(number),
			name: `Walk ${number}`,
			category: "walks",
			location: "Pond",
			description: "Around the pond, twice.",
			durationMinutes: 30,
		})),
		votes: upTo(Math.min(3, size.experiences), experienceId).flatMap((id) =>
			upTo(size.votes, (number) => ({
				experienceId: id,
				agentId: agentOf(number),
				rating: 5 - (number % 3),
				review: "Wet, twice.",
			})),
		),
		postcards: upTo(size.postcards, (number) => ({
			senderId: agentOf(number),
			message: `Wish you idle, ${number}.`,
			mood: "calm",
			...(number % 5 === 0 && { recipientId: owner.id }),
		})),
	};
}
