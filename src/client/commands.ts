/** The commands of the client: its table of contents. */
import type { Command } from "./command.ts";
import { callOperation } from "./commands/call.ts";
import { completion } from "./commands/completion.ts";
import { deactivate, key } from "./commands/key.ts";
import { login, logout } from "./commands/login.ts";
import { either, plain } from "./commands/plain.ts";
import { register } from "./commands/register.ts";
import { status } from "./commands/status.ts";
import { wait } from "./commands/wait.ts";
import { watch } from "./commands/watch.ts";

/** How the id of an experience begins; all others are of activities. */
const EXPERIENCE = "exp-";

/** Every command by its name. */
export const commands: Readonly<Record<string, Command>> = {
	register,
	login,
	logout,
	overview: plain("GET /api/me/overview"),
	checkin: plain("POST /api/checkin"),
	checkout: plain("POST /api/checkout"),
	activities: plain("GET /api/activities"),
	do: either(
		"POST /api/activities/:id/do",
		"POST /api/experiences/:id/do",
		"Do an activity, or an experience",
		(word) => word.toLowerCase().startsWith(EXPERIENCE),
	),
	experiences: plain("GET /api/experiences"),
	create: plain("POST /api/experiences"),
	rate: plain("POST /api/experiences/:id/vote"),
	postcards: plain("GET /api/postcards"),
	send: plain("POST /api/postcards"),
	inbox: plain("GET /api/postcards/inbox"),
	lobby: plain("GET /api/lobby"),
	status,
	wait,
	watch,
	profile: either(
		"GET /api/me",
		"PATCH /api/me",
		"Show the caller's profile; with flags, change it",
		(_, values) => Object.keys(values).length > 0,
	),
	key,
	deactivate,
	call: callOperation,
	completion,
};
