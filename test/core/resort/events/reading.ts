import { expect } from "bun:test";
import type { EventsAnswer } from "../../../../src/core/resort/events/model.ts";
import type { Registered } from "../../../support/calls.ts";
import type { TestResort } from "../../../support/resort.ts";

/** Returns a function that reads public events or, with a caller, the caller's events. */
export const eventsOf =
	(resort: TestResort) =>
	async (query = "", caller?: Registered): Promise<EventsAnswer> => {
		const path = caller === undefined ? "/api/events" : "/api/me/events";
		const ask = caller === undefined ? {} : { key: caller.key };
		const { status, body } = await resort.call("GET", `${path}${query}`, ask);
		expect(status).toBe(200);
		return body as unknown as EventsAnswer;
	};

export const typesOf = ({ events }: EventsAnswer) => events.map(({ type }) => type);
