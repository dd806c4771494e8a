import { resortAt } from "../../../support/calls.ts";
/** An agent that comes and goes by the API. */
export type Guest = Awaited<ReturnType<typeof register>>;

/** Registers an agent at a resort that serves. */
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
