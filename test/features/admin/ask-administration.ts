/**
 * Runs the commands of the administration by method and path, so that a test names them as it names others.
 */

import { ResortError } from "../../../src/core/lib/resort-error.ts";
import { UsageError } from "../../../src/core/lib/start-error.ts";
import { readArguments } from "../../../src/features/admin/commands/admin.ts";
import type { AdminContext } from "../../../src/features/admin/history.ts";
import {
	type AdminOperation,
	adminOperations,
	type OperationName,
	runOperation,
} from "../../../src/features/admin/operations.ts";
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
	services: Omit<AdminContext, "command" | "systemUser" | "log">,
	log: AdminContext["log"],
	{
		method,
		path,
		body = {},
	}: { readonly method: string; readonly path: string; readonly body?: object | undefined },
): Promise<Answered> {
	const { pathname, searchParams } = new URL(path, "http://localhost");
	const [command, ...words] = commandAt(method, pathname, body);
	const name = command as OperationName;
	// No command line has such a word.
	if (name === "rename" && typeof Object(body).name !== "string") {
		return answered(400, { error: "name must be a text" });
	}
	const operation: AdminOperation | undefined = adminOperations[name];
	if (operation === undefined) throw new Error(`${method} ${path}`);
	const given = { ...Object.fromEntries(searchParams), ...body };
	const flags = Object.fromEntries(
		(operation.flags ?? [])
			.filter((flag) => Object.hasOwn(given, flag))
			.map((flag) => [flag, String(Object(given)[flag])]),
	);
	const line = { words, flags, values: new Map(), program: null };
	const context = { ...services, log, systemUser: "host" };
	const run = async () => runOperation(context, name, readArguments(name, line));
	const [status, answer] = await run().then(
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
