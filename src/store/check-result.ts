/** The result of one check of a database or a setting. */
export interface CheckResult {
	readonly level: "ok" | "warn" | "fail";
	/** The name of the check. */
	readonly name: string;
	readonly what: string;
}

/** The result of a check without a fault. */
export function ok(name: string, what: string): CheckResult {
	return { level: "ok", name, what };
}

/** The result of a check with a problem that the host should know. */
export function warn(name: string, what: string): CheckResult {
	return { level: "warn", name, what };
}

/** The result of a check with a fault that prevents the use of the database. */
export function fail(name: string, what: string): CheckResult {
	return { level: "fail", name, what };
}

/** Selects the webhooks that fail, in SQL of both engines. */
export const TROUBLED_WEBHOOKS =
	"select state, url from webhooks where state = 'disabled' or (state = 'active' and failing_since is not null) order by seq";

/** The most hosts that the result lists. */
const MAX_HOSTS = 5;

/** A row of {@link TROUBLED_WEBHOOKS}. */
export interface TroubledWebhook {
	readonly state: unknown;
	readonly url: unknown;
}

/** Reports how many webhooks fail, and their hosts. */
export function examineWebhooks(rows: readonly TroubledWebhook[]): CheckResult {
	if (rows.length === 0) return ok("webhooks", "none fails");
	const disabled = rows.filter(({ state }) => state === "disabled");
	const failing = rows.filter(({ state }) => state !== "disabled");
	const parts = [
		[failing, "not taken just now"],
		[disabled, "disabled after five days"],
	] as const;
	const what = parts
		.filter(([some]) => some.length > 0)
		.map(([some, word]) => `${some.length} ${word} (${hostsOf(some)})`)
		.join(", ");
	return warn("webhooks", what);
}

/** Only the hosts: the rest of a URL may be a secret. */
function hostsOf(rows: readonly TroubledWebhook[]): string {
	const hosts = [
		...new Set(rows.map(({ url }) => URL.parse(`${url}`)?.host ?? "?")),
	];
	const more = hosts.length > MAX_HOSTS ? ", …" : "";
	return hosts.slice(0, MAX_HOSTS).join(", ") + more;
}
