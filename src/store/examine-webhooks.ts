import type { CheckResult } from "./check-result.ts";

/** The webhooks that are of interest to a host, by columns of that name, in SQL that every engine takes. */
export const TROUBLED_WEBHOOKS =
	"select state, url from webhooks where state = 'disabled' or (state = 'active' and failing_since is not null) order by seq";

/** How many hosts are named. */
const MAX_HOSTS = 5;

/** A row of {@link TROUBLED_WEBHOOKS}. */
export interface TroubledWebhook {
	readonly state: unknown;
	readonly url: unknown;
}

/** Tells which webhooks are not taken: how many there are, and where they go to. */
export function examineWebhooks(rows: readonly TroubledWebhook[]): CheckResult {
	const name = "webhooks";
	if (rows.length === 0) return { level: "ok", name, what: "none fails" };
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
	return { level: "warn", name, what };
}

/** Only the hosts: the rest of a URL may be a secret. */
function hostsOf(rows: readonly TroubledWebhook[]): string {
	const hosts = [
		...new Set(rows.map(({ url }) => URL.parse(`${url}`)?.host ?? "?")),
	];
	const more = hosts.length > MAX_HOSTS ? ", …" : "";
	return hosts.slice(0, MAX_HOSTS).join(", ") + more;
}
