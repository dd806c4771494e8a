import type { Body } from "./body.ts";
import type { Registered, TestResort } from "./resort.ts";

/** Lets agents of a resort do things that succeed, a second one after the other. */
export class Doing {
	constructor(private readonly resort: TestResort) {}

	/** @throws Error when it is refused */
	async post(
		{ key }: Registered,
		path: string,
		body: object = {},
	): Promise<Body> {
		const answer = await this.resort.ask("POST", path, { key, body });
		if (answer.status >= 300) throw new Error(`${path}: ${answer.text}`);
		this.resort.advance(1_000);
		return answer.body;
	}

	/** Makes an experience; its id. */
	async create(agent: Registered, name = "Fog walk"): Promise<string> {
		const { experience } = await this.post(agent, "/api/experiences", {
			name,
			category: "Air",
			description: "Walk slowly through the fog.",
			location: "the meadow",
			durationMinutes: 10,
		});
		return experience.id;
	}
}
