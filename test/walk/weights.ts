import { AGENTS, type State } from "./state.ts";

/** Past so many active experiences fewer are made. */
const EXPERIENCES = 60;

/** Operations of guests, by weight. */
const guests = new Map([
	["POST /api/session", 18],
	["DELETE /api/session", 10],
	["GET /api/agents/:id", 15],
	["GET /api/agents/:id/status", 25],
	["GET /api/agents/status", 20],
	["GET /api/me", 15],
	["GET /api/me/overview", 50],
	["PATCH /api/me", 15],
	["POST /api/me/api-key", 8],
	["POST /api/checkout", 15],
	["GET /api/stays", 20],
	["GET /api/stays/current", 14],
	["GET /api/activities", 4],
	["POST /api/activities/:id/do", 50],
	["GET /api/activities/log", 20],
	["GET /api/experiences", 60],
	["GET /api/experiences/leaderboard", 35],
	["GET /api/experiences/:id", 20],
	["GET /api/experiences/:id/votes", 25],
	["DELETE /api/experiences/:id", 6],
	["POST /api/experiences/:id/do", 200],
	["POST /api/experiences/:id/vote", 260],
	["GET /api/experiences/votes/mine", 25],
	["GET /api/postcards", 35],
	["POST /api/postcards", 55],
	["GET /api/postcards/mine", 20],
	["GET /api/postcards/inbox", 20],
	["POST /api/me/blocked", 20],
	["DELETE /api/me/blocked/:id", 20],
	["GET /api/me/blocked", 12],
	["GET /api/lobby", 45],
	["GET /api/stats", 20],
]);

/** Operations of the host, by weight. */
const hosts = new Map([
	["GET /agents", 14],
	["GET /agents/:id", 8],
	["GET /hidden", 8],
	["POST /agents/:id/check-out", 6],
	["POST /agents/:id/deactivate", 3],
	["POST /agents/:id/reset-key", 4],
	["POST /agents/:id/rename", 5],
	["GET /agents/:id/export", 5],
	["POST /agents/:id/erase", 3],
	["POST /postcards/:id/hide", 8],
	["POST /postcards/:id/show", 5],
	["POST /experiences/:id/hide", 9],
	["POST /experiences/:id/show", 8],
	["POST /reviews/:id/hide", 9],
	["POST /reviews/:id/show", 7],
]);

/** What there may be a rush of: what is limited, and so what grows. */
export const rushes: readonly string[] = [
	"POST /api/agents",
	"POST /api/session",
	"PATCH /api/me",
	"POST /api/me/api-key",
	"POST /api/checkin",
	"POST /api/checkout",
	"POST /api/activities/:id/do",
	"POST /api/experiences",
	"POST /api/experiences/:id/do",
	"POST /api/experiences/:id/vote",
	"POST /api/postcards",
];

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
	const fixed = [...guests, ...hosts].map(
		([operation, weight]) => [weight, operation] as const,
	);
	return [
		...fixed,
		[agents.size < AGENTS ? 40 : 4, "POST /api/agents"],
		[2 + 4 * surplus, "DELETE /api/me"],
		[isGone ? 7 : 1, "POST /agents/:id/reactivate"],
		[isEmpty ? 150 : 40, "POST /api/checkin"],
		[Math.ceil(36 / crowd), "POST /api/experiences"],
	];
}
