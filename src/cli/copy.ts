import { isatty } from "node:tty";
import { settings } from "../config/settings.ts";
import { refusal } from "../config/sources.ts";
import { because, StartError } from "../lib/start-error.ts";
import { copyAll } from "../store/copy/copy.ts";
import type { Source, Target } from "../store/copy/place.ts";
import { engineOf, engines } from "../store/engines.ts";
import { parseCommand } from "./flags.ts";
import { print } from "./print.ts";
import { stopSignal } from "./signals.ts";

const STDERR = 2;

/**
 * `resort copy FROM TO`: copies a resort that nobody serves from one engine to another, and compares both.
 * @throws StartError with exit code 2 when FROM and TO are not of two engines, 1 when either cannot be used or they
 * differ afterwards; then FROM and TO are as they were
 */
export async function copy(args: readonly string[]): Promise<void> {
	const { words } = parseCommand("copy", args, {}, ["FROM", "TO"]);
	const [from = "", to = ""] = words;
	requireDatabase("FROM", from);
	requireDatabase("TO", to);
	const [reader, writer] = [engineOf(from), engineOf(to)];
	if (reader === writer) {
		const names = engines.map(({ name }) => name).join(" and ");
		throw new StartError(`copy goes between ${names}; ${reader.ownCopy}`, 2);
	}
	const signal = stopSignal();
	let source: Source | null = null;
	let target: Target | null = null;
	try {
		source = await reader.openSource(from, process.env, signal);
		target = await writer.openTarget(to, process.env, signal);
		const tables = await copyAll(source, target, tellProgress);
		const summary = { from: source.path, copy: target.path, tables };
		print(`${JSON.stringify(summary)}\n`);
	} catch (error) {
		// A StartError may tell that it is not known whether all was copied.
		if (signal.aborted && !(error instanceof StartError)) {
			throw new StartError("stopped: nothing was copied", 1);
		}
		throw because(
			`cannot copy ${reader.shown(from)} to ${writer.shown(to)}`,
			error,
		);
	} finally {
		await target?.close();
		await source?.close();
		onTerminal("");
	}
}

function requireDatabase(name: string, text: string): void {
	const setting = settings.database;
	if (setting.read(text) === undefined) {
		const shown = ` ${JSON.stringify(engineOf(text).shown(text))}`;
		throw refusal(setting, { from: name, shown }, text);
	}
	if (text === ":memory:" || text === "-") {
		throw new StartError(`${name} ${text} is no file`, 2);
	}
}

function tellProgress(doing: string, table: string, rows: number): void {
	onTerminal(`${doing} ${table}: ${rows} rows`);
}

/** Writes a line of stderr anew when that is a terminal. */
function onTerminal(text: string): void {
	if (isatty(STDERR)) process.stderr.write(`\r\x1b[K${text}`);
}
