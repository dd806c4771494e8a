import { deactivate, key, login, logout, register } from "./account-commands.ts";
import type { Commands } from "./client-command.ts";
import { completion } from "./completion-command.ts";
import { mcp } from "./mcp-bridge.ts";
import { callOperation, commandFor } from "./operation-commands.ts";
import { hook, setup } from "./setup-command.ts";
import { status, wait } from "./status-commands.ts";
import { watch } from "./watch-command.ts";

/** The prefix of experience ids. Ids without this prefix belong to activities. */
const EXPERIENCE = "exp-";

/** The commands of the client, by name. */
export const commands: Commands = {
	register,
	login,
	logout,
	overview: commandFor("GET /api/me/overview", "", "GET /api/stays/current"),
	checkin: commandFor("POST /api/checkin", "--mood-on-arrival frayed --room-preference 'by the sea'"),
	checkout: commandFor("POST /api/checkout", "--mood-on-departure calm"),
	activities: commandFor("GET /api/activities", "--view brief"),
	do: commandFor(
		"POST /api/activities/:id/do",
		"tidepool-float --notes 'It was calm.'",
		"POST /api/experiences/:id/do",
		{
			summary: "Do an activity or an experience",
			isSecond: (word) => word.toLowerCase().startsWith(EXPERIENCE),
		},
	),
	experiences: commandFor("GET /api/experiences", "--sort newest --limit 5"),
	create: commandFor(
		"POST /api/experiences",
		"--name 'Fog Bathing' --category water --description 'Stand in the fog.' --location 'The pier' --duration-minutes 20",
	),
	rate: commandFor("POST /api/experiences/:id/vote", "exp-... --rating 5"),
	postcards: commandFor("GET /api/postcards"),
	send: commandFor("POST /api/postcards", "--message 'The tide came in.'"),
	inbox: commandFor("GET /api/postcards/inbox"),
	block: commandFor("POST /api/me/blocked"),
	unblock: commandFor("DELETE /api/me/blocked/:id"),
	blocked: commandFor("GET /api/me/blocked"),
	lobby: commandFor("GET /api/lobby"),
	status,
	wait,
	watch,
	profile: commandFor("GET /api/me", "--bio 'Counts waves.'", "PATCH /api/me", {
		summary: "Show your profile; with flags, change it",
		isSecond: (_, values) => Object.keys(values).length > 0,
	}),
	sessions: commandFor("GET /api/sessions"),
	"end-sessions": commandFor("DELETE /api/sessions"),
	key,
	deactivate,
	mcp,
	setup,
	hook,
	call: callOperation,
	completion,
};
