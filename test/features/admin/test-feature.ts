import { loadPersonalTables } from "../../../src/cli/features.ts";
import { ResortError } from "../../../src/core/lib/resort-error.ts";
import { UsageError } from "../../../src/core/lib/start-error.ts";
import { openStore } from "../../../src/core/store/sqlite/sqlite-store.ts";
import { readArguments } from "../../../src/features/admin/commands/admin.ts";
import type { AdminContext } from "../../../src/features/admin/history.ts";
import { operationsWith, runOperation } from "../../../src/features/admin/operations.ts";
import { pagePart } from "../../../src/features/admin/page/part.ts";
import { createPersonalData } from "../../../src/features/admin/queries.ts";
import type { Body } from "../../support/body.ts";
import type { Answered } from "../../support/calls.ts";
import { memoryLog } from "../../support/log.ts";
import type { TestFeature } from "../../support/test-feature.ts";

declare module "../../support/resort.ts" {
	interface Setup {
		/** Whether to serve the host's page (/admin); off by default. */
		readonly adminPage?: boolean;
	}
	interface TestResort {
		/**
		 * Runs an operation of the host, which is given by its method and its path, like a call of an agent. The
		 * answer has a status too: 200 or 201, or one that is derived from the error. If the database is a file,
		 * the operation opens a connection of its own, as `resort admin` does.
		 */
		host(method: string, path: string, body?: object): Promise<Answered>;
		/**
		 * Like {@link host} with POST.
		 * @throws Error if the operation fails
		 */
		byHost(path: string, body?: object): Promise<Body>;
	}
}

const personalTables = await loadPersonalTables();
const personalData = createPersonalData(personalTables);

/** Adds the operations of the host to the resorts of tests. */
export const admin: TestFeature = {
	part: ({ adminPage = false }) => (adminPage ? pagePart(personalTables) : null),
	members: (resort) => ({
		async host(method, path, body = {}) {
			const { file, context } = resort;
			const store = file === null ? context.store : openStore(file, "administer");
			const log = memoryLog(resort.log);
			const { pathname, searchParams } = new URL(path, "http://localhost");
			const given = { ...Object.fromEntries(searchParams), ...body };
			try {
				const services = { ...context, store, log, systemUser: "host", personalData };
				return await runNamed(services, `${method} ${pathname}`, given);
			} finally {
				if (file !== null) await store.close();
			}
		},
		async byHost(path, body) {
			const { status, text, body: told } = await resort.host("POST", path, body);
			if (status > 201) throw new Error(`${path}: ${status} ${text}`);
			return told;
		},
	}),
};

const statuses: Readonly<Record<string, number>> = { invalid: 400, not_found: 404, unavailable: 503 };

async function runNamed(
	services: Omit<AdminContext, "command">,
	route: string,
	given: Readonly<Record<string, unknown>>,
): Promise<Answered> {
	const more = [given.name, given.code].filter((word) => word !== undefined).map(String);
	const [name = "", ...words] = [...wordsOf(route), ...more];
	// Every argument in a command line is a text, so a name of another type is refused here.
	if (name === "rename" && typeof given.name !== "string") {
		return answered(400, { error: "name must be a text" });
	}
	const operation = operationsWith(personalData)[name];
	if (operation === undefined) throw new Error(route);
	const taken = (operation.flags ?? []).filter((flag) => Object.hasOwn(given, flag));
	const flags = Object.fromEntries(taken.map((flag) => [flag, String(given[flag])]));
	const line = { words, flags, values: new Map(), program: null };
	try {
		const result = await runOperation(services, name, operation, readArguments(operation, line));
		return answered(name === "invite" ? 201 : 200, result);
	} catch (error) {
		if (error instanceof UsageError) return answered(400, {});
		if (!(error instanceof ResortError)) throw error;
		return answered(statuses[error.code] ?? 500, { error: error.message, hint: error.details.hint });
	}
}

/** Converts a route to the words of a command: `POST /agents/x/hide` becomes `hide agent x`. */
function wordsOf(route: string): string[] {
	if (route === "POST /agents") return ["register"];
	if (route === "POST /invites") return ["invite"];
	if (route === "POST /invites/revoke") return ["revoke-invite"];
	const [, things = "", id, verb = "agent"] = route.split("/");
	if (id === undefined) return [things];
	return verb === "hide" || verb === "show" ? [verb, things.slice(0, -1), id] : [verb, id];
}

function answered(status: number, answer: unknown): Answered {
	const text = JSON.stringify(answer);
	const headers = new Headers({ "content-type": "application/json" });
	return { status, headers, text, body: JSON.parse(text) };
}
