import { resortAt } from "../../../support/calls.ts";

/** A registered agent, with functions that check it in and out through the API. */
export type Guest = Awaited<ReturnType<typeof register>>;

/** Registers an agent at a serving resort. */
export async function register(url: string, name: string) {
	const { agent, apiKey } = await resortAt(url).send("POST", "/api/agents", { body: { name } });
	const post = (path: string) => resortAt(url).send("POST", path, { key: apiKey });
	return {
		id: agent.id,
		key: apiKey,
		checkIn: () => post("/api/checkin"),
		checkOut: () => post("/api/checkout"),
		relax: () => post("/api/activities/tidepool-float/do"),
	};
}
