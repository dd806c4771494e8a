import {
	deactivate,
	key,
	login,
	logout,
	register,
} from "./account-commands.ts";
import type { Commands } from "./client-command.ts";
import { completion } from "./completion-command.ts";
import { callOperation, either, plain } from "./operation-commands.ts";
import { status, wait } from "./status-commands.ts";
import { watch } from "./watch-command.ts";

/** The prefix of the ids of experiences. Other ids are of activities. */
const EXPERIENCE = "exp-";

/** The commands of the client by name. */
export const commands: Commands = {
	register,
	login,
	logout,
	overview: plain("GET /api/me/overview", "", ["GET /api/stays/current"]),
	checkin: plain(
		"POST /api/checkin",
		"--mood-on-arrival frayed --room-preference 'by the sea'",
	),
	checkout: plain("POST /api/checkout", "--mood-on-departure calm"),
	activities: plain("GET /api/activities", "--view brief"),
	do: either(
		"POST /api/activities/:id/do",
		"POST /api/experiences/:id/do",
		"Do an activity, or an experience",
		"tidepool-float --notes 'It was calm.'",
		(word) => word.toLowerCase().startsWith(EXPERIENCE),
	),
	experiences: plain("GET /api/experiences", "--sort newest --limit 5"),
	create: plain(
		"POST /api/experiences",
		"--name 'Fog Bathing' --category water --description 'Stand in the fog.' --location 'The pier' --duration-minutes 20",
	),
	rate: plain("POST /api/experiences/:id/vote", "exp-... --rating 5"),
	postcards: plain("GET /api/postcards"),
	send: plain("POST /api/postcards", "--message 'The tide came in.'"),
	inbox: plain("GET /api/postcards/inbox"),
	lobby: plain("GET /api/lobby"),
	status,
	wait,
	watch,
	profile: either(
		"GET /api/me",
		"PATCH /api/me",
		"Show the caller's profile; with flags, change it",
		"--bio 'Counts waves.'",
		(_, values) => Object.keys(values).length > 0,
	),
	key,
	deactivate,
	call: callOperation,
	completion,
};
