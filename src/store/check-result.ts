import { inMebibytes } from "./space.ts";
import type { EngineRow } from "./store.ts";

/** The result of one check of a database or a setting. */
export interface CheckResult {
	readonly level: "ok" | "warn" | "fail";
	/** The name of the check. */
	readonly name: string;
	readonly what: string;
}

/** Creates the result of a successful check. */
export function ok(name: string, what: string): CheckResult {
	return { level: "ok", name, what };
}

/** Creates the result of a check that found a problem which the operator should know about. */
export function warn(name: string, what: string): CheckResult {
	return { level: "warn", name, what };
}

/** Creates the result of a check that found a fault which prevents the use of the database. */
export function fail(name: string, what: string): CheckResult {
	return { level: "fail", name, what };
}

/** The text of the check `served` if an instance serves the database. */
export const SERVED = "by another process";

/** The SQL query that selects the failing webhooks. It is valid for both engines. */
export const TROUBLED_WEBHOOKS =
	"select state, url from webhooks where state = 'disabled' or (state = 'active' and failing_since is not null) order by seq";

/** The maximum number of host names of webhooks in the result. */
const MAX_HOSTS = 5;

/**
 * Reports the number of failing webhooks and the host names in their URLs. The rest of a URL is omitted,
 * because it may contain a secret.
 * @param rows the result of {@link TROUBLED_WEBHOOKS}
 */
export function examineWebhooks(rows: readonly EngineRow[]): CheckResult {
	if (rows.length === 0) return ok("webhooks", "none failing");
	const hosts = new Set(
		rows.map(({ state, url }) => {
			const host = URL.parse(`${url}`)?.host ?? "?";
			return state === "disabled" ? `${host} (disabled)` : host;
		}),
	);
	const listed = [...hosts].slice(0, MAX_HOSTS).join(", ");
	const more = hosts.size > MAX_HOSTS ? ", …" : "";
	return warn(
		"webhooks",
		`${rows.length} fail: ${listed}${more}: each agent can see the reason with GET /api/webhooks`,
	);
}

/** `doctor` warns if the database uses at least this fraction of `--max-database`. */
const NEARLY = 0.9;

/** Compares the size of a database with `--max-database`. */
export function examineSize(usedBytes: number, maxBytes: number): CheckResult {
	const name = "database size";
	const used = inMebibytes(usedBytes);
	if (maxBytes === 0) return ok(name, `${used}, no --max-database`);
	const what = `${used} of ${inMebibytes(maxBytes)}`;
	if (usedBytes >= maxBytes) {
		return warn(name, `${what}: the resort is full, calls that add rows fail`);
	}
	return usedBytes >= NEARLY * maxBytes
		? warn(name, `${what}: calls that add rows will soon fail`)
		: ok(name, what);
}
