import { ask } from "../visit.ts";

/** An agent that comes and goes by the API. */
export interface Guest {
	readonly id: string;
	readonly key: string;
	checkIn(): Promise<unknown>;
	checkOut(): Promise<unknown>;
	relax(): Promise<unknown>;
}

/** Registers an agent at a resort that serves. */
export async function register(url: string, name: string): Promise<Guest> {
	const { agent, apiKey } = await ask(url, "POST", "/api/agents", "", { name });
	const post = (path: string) => ask(url, "POST", path, apiKey);
	return {
		id: agent.id,
		key: apiKey,
		checkIn: () => post("/api/checkin"),
		checkOut: () => post("/api/checkout"),
		relax: () => post("/api/activities/tidepool-float/do"),
	};
}
