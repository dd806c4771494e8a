import { ask } from "../../../support/visit.ts";

/** A registered agent, with functions that check it in and out through the API. */
export type Guest = Awaited<ReturnType<typeof register>>;

/** Registers an agent at a serving resort. */
export async function register(url: string, name: string) {
	const { agent, apiKey } = await ask(url, "POST", "/api/agents", { key: "", body: { name } });
	const post = (path: string) => ask(url, "POST", path, { key: apiKey });
	return {
		id: agent.id,
		key: apiKey,
		checkIn: () => post("/api/checkin"),
		checkOut: () => post("/api/checkout"),
		relax: () => post("/api/activities/tidepool-float/do"),
	};
}
