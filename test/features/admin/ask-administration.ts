/** Runs the operations of the host by method and path, so that tests name them like other operations. */

import { loadPersonalTables } from "../../../src/cli/features.ts";
import { ResortError } from "../../../src/core/lib/resort-error.ts";
import { UsageError } from "../../../src/core/lib/start-error.ts";
import { readArguments } from "../../../src/features/admin/commands/admin.ts";
import type { AdminContext } from "../../../src/features/admin/history.ts";
import { operationsWith, runOperation } from "../../../src/features/admin/operations.ts";
import { createPersonalData } from "../../../src/features/admin/queries.ts";
import type { Answered } from "../../support/calls.ts";

/** The queries on the data of agents. */
export const personalData = createPersonalData(await loadPersonalTables());

const operations: Readonly<Record<string, string>> = {
	"POST /agents": "register",
	"POST /invites": "invite",
	"POST /invites/revoke": "revoke-invite",
};

const statuses: Readonly<Record<string, number>> = { invalid: 400, not_found: 404, unavailable: 503 };

/** Returns the operation that a path names, and its required arguments. */
function operationAt(method: string, path: string, more: readonly string[]): readonly string[] {
	const operation = operations[`${method} ${path}`];
	if (operation !== undefined) return [operation, ...more];
	const [, things = "", id = "", verb = "agent"] = path.split("/");
	if (id === "") return [things, ...more];
	const isOnTexts = verb === "hide" || verb === "show";
	return things === "agents" && !isOnTexts ? [verb, id, ...more] : [verb, things.slice(0, -1), id];
}

/** Runs an operation of the host. The status of the answer is that of its error, else 200 or 201. */
export async function askAdministration(
	services: Omit<AdminContext, "command" | "systemUser" | "log" | "personalData">,
	log: AdminContext["log"],
	ask: { readonly method: string; readonly path: string; readonly body?: object | undefined },
): Promise<Answered> {
	const { pathname, searchParams } = new URL(ask.path, "http://localhost");
	const given: Record<string, unknown> = { ...Object.fromEntries(searchParams), ...ask.body };
	const more = [given.name, given.code].filter((word) => word !== undefined).map(String);
	const [name, ...words] = operationAt(ask.method, pathname, more) as [string, ...string[]];
	// A command line contains only texts.
	if (name === "rename" && typeof given.name !== "string") {
		return answered(400, { error: "name must be a text" });
	}
	const operation = operationsWith(personalData)[name];
	if (operation === undefined) throw new Error(`${ask.method} ${ask.path}`);
	const taken = (operation.flags ?? []).filter((flag) => Object.hasOwn(given, flag));
	const flags = Object.fromEntries(taken.map((flag) => [flag, String(given[flag])]));
	const line = { words, flags, values: new Map(), program: null };
	try {
		const context = { ...services, log, systemUser: "host", personalData };
		const result = await runOperation(context, name, operation, readArguments(operation, line));
		return answered(name === "invite" ? 201 : 200, result);
	} catch (error) {
		if (error instanceof UsageError) return answered(400, {});
		if (!(error instanceof ResortError)) throw error;
		return answered(statuses[error.code] ?? 500, { error: error.message, hint: error.details.hint });
	}
}

function answered(status: number, answer: unknown): Answered {
	const text = JSON.stringify(answer);
	const headers = new Headers({ "content-type": "application/json" });
	return { status, headers, text, body: JSON.parse(text) };
}
