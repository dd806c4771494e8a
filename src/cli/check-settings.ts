import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { MAX_IN_ALL } from "../core/calls/concurrency-limit.ts";
import type { CoreConfig } from "../core/config/settings.ts";
import { DAY_MS, toTimestamp } from "../core/lib/clock.ts";
import { isLoopback, isWithin } from "../core/lib/ip-address.ts";
import { type Checks, ok, warn } from "../core/store/check.ts";

/** Matches the names of the files that `resort backup --dir` creates. */
export const DATED = /^resort-\d{8}T\d{6}Z\./;

/** The open files that an instance needs: one for each event stream or waiting call, and 1,000 others. */
const NEEDED_FILES = MAX_IN_ALL + 1_000;

/** The age from which a backup is stale. The example resort-backup.timer creates one backup a day. */
const STALE_MS = 2 * DAY_MS;

const LIMITS = "/proc/self/limits";

/** Checks for settings that are valid but probably wrong, and for a limit on open files that is too low. */
export const settingChecks: Checks<CoreConfig> = {
	"trusted proxies": ({ "base-url": base, "trusted-proxies": proxies, "rate-limits": limits, host }) => {
		if (limits === false) return null;
		if (proxies.some(([, prefix]) => prefix === 0)) {
			return warn(
				"a /0 range trusts every address: any caller can choose the address that rate limits apply to",
			);
		}
		// Only this machine can connect to a loopback address.
		const canConnect = !isLoopback(host) || ["127.0.0.1", "::1"].some((peer) => isWithin(peer, proxies));
		const why =
			proxies.length === 0
				? base?.startsWith("https:") && "an https --base-url implies a proxy, but --trusted-proxies is empty"
				: !canConnect && `--trusted-proxies lists no address that can connect to --host ${host}`;
		if (!why) return null;
		return warn(
			`${why}: all agents share the limits of one address; set trusted-proxies to the proxy's addresses, such as ["127.0.0.1", "::1"]`,
		);
	},
	"rate limits": ({ "base-url": base, "rate-limits": limits, host, ephemeral }) => {
		// Ignores the base URL of an ephemeral instance, because a test may use an invented one.
		const named = base !== null && !ephemeral && !isLoopback(new URL(base).hostname) ? base : null;
		const place = isLoopback(host) ? named : `--host ${host}`;
		if (limits !== false || place === null) return null;
		return warn(
			`off: anyone who can reach ${place} can register and write without limit; remove --rate-limits off`,
		);
	},
	"open files"() {
		// Only Linux has this file. On other systems the limit is not checked.
		const limits = existsSync(LIMITS) ? readFileSync(LIMITS, "utf8") : "";
		const files = Number(/^Max open files +(\d+)/m.exec(limits)?.[1] ?? Infinity);
		if (files >= NEEDED_FILES) return null;
		return warn(
			`at most ${files}, but ${MAX_IN_ALL} event streams and waiting calls require ${NEEDED_FILES} (LimitNOFILE=65536 in systemd, ulimit -n 65536)`,
		);
	},
};

/** The {@link settingChecks}, and a check of whether the newest backup is recent. */
export const hostChecks: Checks<CoreConfig> = {
	...settingChecks,
	/** Examines the folder to which the example resort-backup.service writes. */
	backups({ database }) {
		if (!existsSync(database)) return null;
		const folder = `${dirname(realpathSync(database))}-backups`;
		const times = (existsSync(folder) ? readdirSync(folder) : [])
			.filter((file) => DATED.test(file))
			.map((file) => statSync(join(folder, file)).mtimeMs);
		const newestMs = Math.max(0, ...times);
		const newest = `the newest in ${folder} is from ${toTimestamp(newestMs)}`;
		if (Date.now() - newestMs <= STALE_MS) return ok(newest);
		const what = times.length === 0 ? `there is no backup in ${folder} yet` : newest;
		const make = existsSync(folder) ? "" : `mkdir ${folder} && `;
		return warn(
			`${what}. Create one with: ${make}resort backup --dir ${folder} --database ${database} (with systemd, resort-backup.timer does so every day)`,
		);
	},
};
