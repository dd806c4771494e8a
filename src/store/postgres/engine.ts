import type { Environment } from "../../lib/environment.ts";
import { StartError } from "../../lib/start-error.ts";
import type { Engine } from "../engine.ts";
import { withoutPassword } from "./url/shown.ts";
import { isPostgres, parsePostgresUrl, urlFault } from "./url/url.ts";

/** PostgreSQL; what works with its databases is loaded when it is first asked for. */
export const postgres: Engine = {
	name: "PostgreSQL",
	databases: "a postgres:// URL",
	hasServer: true,
	backUpEnding: ".dump",
	ownCopy: "between two PostgreSQL databases use pg_dump and pg_restore",
	isNamedBy: isPostgres,
	accepts: (database) => urlFault(database) === null,
	faultOf: urlFault,
	shown(database) {
		// The password may stand anywhere in a faulty one.
		return urlFault(database) === null
			? withoutPassword(parsePostgresUrl(database))
			: "(hidden)";
	},
	async open({ database, connections, environment }) {
		const { PostgresStore } = await import("./store.ts");
		const address = await addressOf(database, environment);
		const opened = await PostgresStore.open(address, connections);
		return { ...opened, warning: null };
	},
	async examine({ database, connections, environment }) {
		const { examinePostgres } = await import("./examine.ts");
		return examinePostgres(database, {
			connections,
			environment,
			clock: Date.now,
		});
	},
	async backUp(database, file, environment) {
		const { pgDumpLine } = await import("./command-lines.ts");
		throw ownProgram("", pgDumpLine(database, environment, file));
	},
	async backUpNameless(database, _folder, environment) {
		const { pgDumpLine } = await import("./command-lines.ts");
		throw ownProgram("", pgDumpLine(database, environment, null));
	},
	async restore(database, file, environment) {
		const { pgRestoreLine } = await import("./command-lines.ts");
		const line = pgRestoreLine(database, environment, file);
		throw ownProgram(" once no instance runs", line);
	},
	async openSource(database, environment, signal) {
		const { PostgresSource } = await import("./copy/source.ts");
		return PostgresSource.open(await addressOf(database, environment), signal);
	},
	async openTarget(database, environment, signal) {
		const { PostgresTarget } = await import("./copy/target.ts");
		return PostgresTarget.open(await addressOf(database, environment), signal);
	},
};

async function addressOf(database: string, environment: Environment) {
	const { readAddress } = await import("./address.ts");
	return readAddress(database, environment);
}

function ownProgram(when: string, line: string): StartError {
	return new StartError(
		`the database is PostgreSQL, whose own program does this${when}: ${line}`,
		2,
	);
}
