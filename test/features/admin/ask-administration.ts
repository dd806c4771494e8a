/**
 * Runs the commands of the administration by method and path, so that a test names them as it names others.
 */

import { ResortError } from "../../../src/core/lib/resort-error.ts";
import { UsageError } from "../../../src/core/lib/start-error.ts";
import {
	adminCommands,
	type CommandContext,
	runAdminCommand,
} from "../../../src/features/admin/commands/admin-commands.ts";
import type { Answered } from "../../support/resort.ts";

const commands: Readonly<Record<string, string>> = {
	"GET /agents": "agents",
	"POST /agents": "register",
	"GET /postcards": "postcards",
	"GET /experiences": "experiences",
	"GET /reviews": "reviews",
	"GET /hidden": "hidden",
	"GET /history": "history",
	"GET /invites": "invites",
	"POST /invites": "invite",
	"POST /invites/revoke": "revoke-invite",
	"GET /stats": "stats",
};

const statuses: Readonly<Record<string, number>> = {
	invalid: 400,
	not_found: 404,
	unavailable: 503,
};

/** The command that a path stands for, and its words. */
function commandAt(
	method: string,
	path: string,
	{ name, code }: { readonly name?: unknown; readonly code?: unknown },
): [string, ...string[]] {
	const more = [name, code].filter((word) => word !== undefined).map(String);
	const command = commands[`${method} ${path}`];
	if (command !== undefined) return [command, ...more];
	const [, things = "", id = "", verb = "agent"] = path.split("/");
	const isOnTexts = verb === "hide" || verb === "show";
	if (things === "agents" && !isOnTexts) return [verb, id, ...more];
	return [verb, things.slice(0, -1), id];
}

/** Runs a command of the administration. The status of the answer is that of its error, else 200 or 201. */
export async function askAdministration(
	context: Omit<CommandContext, "command" | "systemUser">,
	log: Parameters<typeof runAdminCommand>[3],
	{
		method,
		path,
		body = {},
	}: { readonly method: string; readonly path: string; readonly body?: object | undefined },
): Promise<Answered> {
	const { pathname, searchParams } = new URL(path, "http://localhost");
	const [name, ...words] = commandAt(method, pathname, body);
	// No command line has such a word.
	if (name === "rename" && typeof Object(body).name !== "string") {
		return answered(400, { error: "name must be a text" });
	}
	const command = adminCommands[name];
	if (command === undefined) throw new Error(`${method} ${path}`);
	const given = { ...Object.fromEntries(searchParams), ...body };
	const flags = Object.fromEntries(
		Object.keys(command.flags)
			.filter((flag) => Object.hasOwn(given, flag))
			.map((flag) => [flag, String(Object(given)[flag])]),
	);
	const line = { words, flags, values: new Map(), program: null };
	const [status, answer] = await runAdminCommand({ ...context, systemUser: "host" }, name, line, log).then(
		(result) => [name === "invite" ? 201 : 200, result] as const,
		(error) => {
			if (error instanceof UsageError) return [400, {}] as const;
			if (!(error instanceof ResortError)) throw error;
			const { hint } = error.details;
			return [
				statuses[error.code] ?? 500,
				{ error: error.message, ...(hint !== undefined && { hint }) },
			] as const;
		},
	);
	return answered(status, answer);
}

function answered(status: number, answer: unknown): Answered {
	const text = JSON.stringify(answer);
	const headers = new Headers({ "content-type": "application/json" });
	return { status, headers, text, body: JSON.parse(text) };
}
