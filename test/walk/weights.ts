import { isByHost } from "./call.ts";
import { limits } from "./limits.ts";
import { operations } from "./model.ts";
import { OWN_EXPERIENCES } from "./rules-experiences.ts";
import { AGENTS, type State } from "./state.ts";

const EXPERIENCES = 60;

/** The weights of operations that are called more or less often than others. */
const unusual: Readonly<Record<string, number>> = {
	"DELETE /api/session": 10,
	"GET /api/me/overview": 50,
	"POST /api/me/api-key": 8,
	"GET /api/activities": 4,
	"POST /api/activities/:id/do": 50,
	"GET /api/experiences": 60,
	"DELETE /api/experiences/:id": 6,
	"POST /api/experiences/:id/do": 200,
	"POST /api/experiences/:id/vote": 260,
	"GET /api/postcards": 35,
	"POST /api/postcards": 55,
	"GET /api/lobby": 45,
	"GET /agents": 14,
	"POST /agents/:id/deactivate": 3,
	"POST /agents/:id/erase": 3,
};

/** Called by the listeners, or with the parameters of another operation. */
const elsewhere = ["GET /api/events", "GET /api/me/events", OWN_EXPERIENCES];

/** What there may be a rush of: what is limited. */
export const rushes = Object.keys(operations).filter((one) => limits.has(one));

/** What ends sessions. */
export const endings: readonly string[] = [
	"DELETE /api/session",
	"POST /api/me/api-key",
	"DELETE /api/me",
	"POST /agents/:id/deactivate",
	"POST /agents/:id/reset-key",
];

/** How likely each operation is just now, so that there is always somebody in and something to do. */
export function weights(state: State): (readonly [number, string])[] {
	const { agents, everybody, experiences } = state;
	const surplus = Math.max(0, agents.size - AGENTS);
	const crowd = Math.max(1, experiences.size / EXPERIENCES);
	const relaxing = [...agents.values()].filter((agent) =>
		state.openStay(agent),
	);
	const isEmpty = relaxing.length < agents.size / 2;
	const isGone = [...everybody.values()].some(({ goneAt }) => goneAt !== null);
	const present: Readonly<Record<string, number>> = {
		...unusual,
		"POST /api/agents": agents.size < AGENTS ? 40 : 4,
		"DELETE /api/me": 2 + 4 * surplus,
		"POST /agents/:id/reactivate": isGone ? 7 : 1,
		"POST /api/checkin": isEmpty ? 150 : 40,
		"POST /api/experiences": Math.ceil(36 / crowd),
	};
	return Object.keys(operations)
		.filter((operation) => !elsewhere.includes(operation))
		.map((operation) => {
			const usual = isByHost({ operation }) ? 6 : 20;
			return [present[operation] ?? usual, operation] as const;
		});
}
