/** Calls the administration's operations by method and path, so that a test names them as it names others. */

import { join } from "node:path";
import {
	type AdminContext,
	runAdminOperation,
} from "../../src/admin/admin-operation.ts";
import { adminOperations } from "../../src/admin/operations.ts";
import { ResortError } from "../../src/lib/resort-error.ts";
import { onPostgres } from "./engine.ts";
import type { Answered, Setup } from "./resort.ts";

const changes: Readonly<Record<string, string>> = {
	"check-out": "endStay",
	deactivate: "deactivateAgent",
	erase: "eraseAgent",
	reactivate: "reactivateAgent",
	"reset-key": "resetKey",
	rename: "renameAgent",
};

const reads: Readonly<Record<string, string>> = {
	"GET /agents": "listAgents",
	"GET /hidden": "listHidden",
	"GET /invites": "listInvites",
	"POST /invites": "makeInvite",
	"POST /invites/revoke": "revokeInvite",
	"GET /stats": "getHouseStats",
};

const statuses: Readonly<Record<string, number>> = {
	invalid: 400,
	not_found: 404,
	unavailable: 503,
};

/** The operation that a path stands for, and the id in it. */
function operationAt(method: string, path: string): [string, object] {
	const listed = reads[`${method} ${path}`];
	if (listed !== undefined) return [listed, {}];
	const [, things = "", id = "", verb = ""] = path.split("/");
	if (things !== "agents") {
		const kind = things[0]?.toUpperCase() + things.slice(1, -1);
		return [verb + kind, { id }];
	}
	if (method === "GET") {
		return [verb === "export" ? "exportAgent" : "showAgent", { id }];
	}
	return [changes[verb] ?? "", { id }];
}

/** Runs an operation; a status stands for how it ended. */
export async function askAdministration(
	context: AdminContext,
	log: Parameters<typeof runAdminOperation>[4],
	method: string,
	path: string,
	body: object = {},
): Promise<Answered> {
	const { pathname, searchParams } = new URL(path, "http://localhost");
	const [id, target] = operationAt(method, pathname);
	const { relaxing, ...query } = Object.fromEntries(searchParams);
	const operation = adminOperations[id];
	if (operation === undefined) throw new Error(`${method} ${path}`);
	const input = {
		...target,
		...query,
		...(relaxing !== undefined && { relaxing: true }),
		...body,
	};
	const [status, answer] = await runAdminOperation(
		context,
		id,
		operation,
		input,
		log,
	).then(
		(result) => [id === "makeInvite" ? 201 : 200, result] as const,
		(error) => {
			if (!(error instanceof ResortError)) throw error;
			const { hint } = error.details;
			return [
				statuses[error.code] ?? 500,
				{ error: error.message, ...(hint !== undefined && { hint }) },
			] as const;
		},
	);
	const text = JSON.stringify(answer);
	const headers = new Headers({ "content-type": "application/json" });
	return { status, headers, text, body: JSON.parse(text) };
}

/** Sets a resort up on a file on SQLite, so that its administration is another program with a connection of its own. */
export function besideFile(folder: {
	readonly path: string;
}): Pick<Setup, "database"> {
	return onPostgres ? {} : { database: join(folder.path, "resort.sqlite") };
}
