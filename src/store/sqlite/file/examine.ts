import type { Database } from "bun:sqlite";
import { MINUTE_MS, toTimestamp } from "../../../lib/clock.ts";
import { messageOf } from "../../../lib/error-reason.ts";
import { examineWebhooks, TROUBLED_WEBHOOKS } from "../../examine-webhooks.ts";
import type { Finding } from "../../finding.ts";
import {
	countOrphans,
	findDamage,
	newestMomentMs,
	openReadOnly,
	schemaVersion,
} from "./checks.ts";
import { schemaInHeader } from "./file.ts";
import { migrations } from "./migrate.ts";
import { readRows } from "./read.ts";
import { schemaFault } from "./schema.ts";

/** How far the clock may be behind what the database tells. */
const CLOCK_TOLERANCE_MS = 5 * MINUTE_MS;

/**
 * Checks a database that may be in use, and changes nothing of it.
 * @param file its one true path
 */
export function examineDatabase(file: string, nowMs: number): Finding[] {
	let sqlite: Database | undefined;
	try {
		if (schemaInHeader(file) === null) {
			const what = `${file} is empty; resort serve fills it`;
			return [{ level: "warn", name: "database", what }];
		}
		sqlite = openReadOnly(file);
		const damage = findDamage(sqlite);
		return [
			{ level: "ok", name: "database", what: file },
			{
				level: damage === null ? "ok" : "fail",
				name: "integrity",
				what: damage ?? "no damage",
			},
			// A damaged file cannot be asked any further.
			...(damage === null ? examineRows(sqlite, nowMs) : []),
		];
	} catch (error) {
		const what = messageOf(error);
		return [{ level: "fail", name: "database", what }];
	} finally {
		sqlite?.close();
	}
}

function examineRows(sqlite: Database, nowMs: number): Finding[] {
	const orphans = countOrphans(sqlite);
	const version = schemaVersion(sqlite);
	const fault = version > migrations.length ? null : schemaFault(sqlite);
	return [
		{
			level: orphans === 0 ? "ok" : "fail",
			name: "foreign keys",
			what: `references that lead nowhere: ${orphans}`,
		},
		examineVersion(version),
		fault === null
			? examineTimes(newestMomentMs(sqlite), nowMs)
			: {
					level: "fail",
					name: "schema",
					what: `not as resort makes it: ${fault}`,
				},
		...(version === migrations.length && fault === null
			? [examineWebhooks(readRows(sqlite, TROUBLED_WEBHOOKS))]
			: []),
	];
}

function examineVersion(version: number): Finding {
	const name = "schema version";
	const known = migrations.length;
	if (version === known) return { level: "ok", name, what: `${version}` };
	const what = `${version}, this program knows ${known}`;
	return version < known
		? { level: "warn", name, what: `${what}: resort serve brings it there` }
		: { level: "fail", name, what: `${what}: a newer one is needed` };
}

function examineTimes(newestMs: number | null, nowMs: number): Finding {
	const name = "newest entry";
	if (newestMs === null) return { level: "ok", name, what: "none yet" };
	const time = toTimestamp(newestMs);
	return newestMs <= nowMs + CLOCK_TOLERANCE_MS
		? { level: "ok", name, what: time }
		: { level: "fail", name, what: `${time} lies ahead: the clock is wrong` };
}
