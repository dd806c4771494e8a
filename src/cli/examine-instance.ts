/** Checks of the running instance, and of the public address by which others reach it. */
import { isIP } from "node:net";
import { connect } from "node:tls";
import type { Config } from "../config/config.ts";
import { DAY_MS, SECOND_MS } from "../lib/clock.ts";
import { proxyFor } from "../lib/direct-calls.ts";
import { codeOf, reasonOf } from "../lib/error-reason.ts";
import { parseObject, textIn } from "../lib/record.ts";
import { SERVICE, VERSION } from "../lib/version.ts";
import { localAddress } from "../server/ports.ts";
import { type CheckResult, fail, ok, warn } from "../store/check-result.ts";

/** The time limit for a response. */
const TIMEOUT_MS = 5 * SECOND_MS;

/** The time limit for the first bytes of an event stream. The resort sends these bytes at once. */
const STREAM_TIMEOUT_MS = 3 * SECOND_MS;

/**
 * A certificate that is valid for less than this time should have been renewed: ACME clients renew a
 * certificate 30 days before it expires.
 */
const RENEWAL_MS = 14 * DAY_MS;

/** The tolerated difference of two clocks. The header field `Date` is exact to a second. */
const CLOCK_TOLERANCE_MS = 10 * SECOND_MS;

/** A response, or the reason why there is none. */
interface Reply {
	readonly status: number;
	readonly body: Record<string, unknown> | null;
	/** The time of the header field `Date`; NaN if the response has no such field. */
	readonly dateMs: number;
	readonly latencyMs: number;
	/** The reason why there is no response. */
	readonly failure?: string;
}

/**
 * Checks that the configured instance and its base URL respond, and that both lead to the same resort. Ends
 * within 15 seconds.
 * @param isServed whether a process serves the database; null if unknown
 */
export async function examineInstance(
	config: Pick<Config, "host" | "port" | "base-url">,
	isServed: boolean | null,
): Promise<CheckResult[]> {
	const base = config["base-url"];
	const local = config.port === 0 ? null : localAddress(config.host, config.port);
	return [
		local === null
			? ok("instance", "not checked: --port 0 means any free port")
			: await examineLocal(local, isServed),
		...(base === null ? [] : await examinePublic(base, local)),
	];
}

async function examineLocal(url: string, isServed: boolean | null): Promise<CheckResult> {
	const name = "instance";
	const reply = await ask(`${url}/api/health`, false);
	const { failure, status, body } = reply;
	if (failure !== undefined) {
		const advice =
			isServed === true
				? "a process serves the database but listens elsewhere: pass the instance's settings, as in resort doctor --config /etc/resort.toml"
				: "start it: sudo systemctl start resort";
		return fail(name, `${url} does not respond (${failure}); ${advice}`);
	}
	if (body?.service !== SERVICE && body?.error === undefined) {
		return fail(name, `${url} is another program: set a different --port, or find it with sudo ss -ltnp`);
	}
	if (status !== 200) {
		return fail(name, `${url} returned ${status} (${textIn(body, "error")}): see journalctl -u resort`);
	}
	if (body?.version !== VERSION) {
		return warn(
			name,
			`${url} runs ${textIn(body, "version")}, this program is ${VERSION}: sudo systemctl restart resort`,
		);
	}
	return ok(name, describe(url, reply));
}

async function examinePublic(base: string, local: string | null): Promise<CheckResult[]> {
	const [reply, certificate] = await Promise.all([ask(`${base}/api/health`), examineCertificate(base)]);
	const name = "public address";
	const { failure, status, body } = reply;
	const found = certificate === null ? [] : [certificate];
	if (failure !== undefined) {
		// The failed check of the certificate already explains why there is no response.
		if (certificate?.level === "fail") return found;
		const what = `${base} does not respond (${failure}): check its DNS, the firewall and the proxy (sudo systemctl status nginx caddy)`;
		return [...found, fail(name, what)];
	}
	if (status !== 200 || body?.service !== SERVICE) {
		const what = `${base} returned ${status} instead of a resort's health response: check the proxy (sudo nginx -t, sudo systemctl status nginx caddy)`;
		return [...found, fail(name, what)];
	}
	const others = await Promise.all([examineIdentity(base, local), examineStream(base)]);
	return [...found, ok(name, describe(base, reply)), ...others, examineClock(reply)];
}

function describe(url: string, { body, latencyMs }: Reply): string {
	return `${url}, ${textIn(body, "version")}, ${latencyMs.toFixed(0)} ms`;
}

/**
 * Checks that the base URL reaches this resort. The link to the guide must begin with the base URL. The
 * newest event id at the base URL must lie between two newest ids of the local instance, read before and
 * after, because event ids only grow.
 */
async function examineIdentity(base: string, local: string | null): Promise<CheckResult> {
	const name = "base URL";
	const first = local === null ? null : await newestEvent(local, false);
	const { body } = await ask(base);
	const event = await newestEvent(base);
	const last = local === null ? null : await newestEvent(local, false);
	const guide = textIn(body?.documents, "guide");
	const isOurs = guide.startsWith(`${base}/`);
	const isBetween = first === null || last === null || event === null || (first <= event && event <= last);
	return isOurs && isBetween
		? ok(name, "reaches this resort")
		: fail(
				name,
				`${base} reaches another resort: correct base-url in /etc/resort.toml, or the proxy's upstream address, then sudo systemctl restart resort`,
			);
}

/** Returns the id of the newest event; null if it is not known. */
async function newestEvent(url: string, proxy = proxyFor(url)): Promise<number | null> {
	const { body } = await ask(`${url}/api/events`, proxy);
	return typeof body?.cursor === "string" ? Number(body.cursor) : null;
}

/** Checks that the beginning of an event stream arrives while the stream is open. */
async function examineStream(base: string): Promise<CheckResult> {
	const name = "event streams";
	try {
		const response = await fetch(`${base}/api/events`, {
			headers: { accept: "text/event-stream" },
			proxy: proxyFor(base),
			signal: AbortSignal.timeout(STREAM_TIMEOUT_MS),
		});
		const reader = response.body?.getReader();
		const first = await reader?.read();
		await reader?.cancel();
		if (response.ok && first?.done === false) {
			return ok(name, "arrive immediately");
		}
		return warn(name, `${base}/api/events returned ${response.status} instead of a stream`);
	} catch {
		return warn(
			name,
			`${base} delays them: turn off buffering in the proxy, as in resort example nginx.conf (proxy_buffering off)`,
		);
	}
}

function examineClock({ dateMs }: Reply): CheckResult {
	const name = "proxy clock";
	const aheadMs = Date.now() - dateMs;
	if (!(Math.abs(aheadMs) > CLOCK_TOLERANCE_MS)) {
		return ok(name, `matches this machine's`);
	}
	const side = aheadMs > 0 ? "ahead of" : "behind";
	return warn(
		name,
		`this machine's is ${(Math.abs(aheadMs) / SECOND_MS).toFixed(0)} s ${side} the proxy's: run sudo timedatectl set-ntp true on both`,
	);
}

/**
 * Checks that the certificate of a URL is valid for the host name and does not expire soon.
 * @returns null if the URL is not https or does not respond
 */
async function examineCertificate(base: string): Promise<CheckResult | null> {
	const { protocol, hostname, port } = new URL(base);
	if (protocol !== "https:") return null;
	const name = "certificate";
	const host = hostname.replaceAll(/[[\]]/g, "");
	const { promise, resolve } = Promise.withResolvers<CheckResult | null>();
	const socket = connect({
		host,
		port: Number(port || 443),
		// TLS sends no server name for an IP address (RFC 6066, section 3).
		...(isIP(host) === 0 && { servername: host }),
		rejectUnauthorized: false,
		timeout: TIMEOUT_MS,
	});
	socket.once("secureConnect", () => {
		const { valid_to: end } = socket.getPeerCertificate();
		const leftMs = Date.parse(end) - Date.now();
		const days = Math.floor(leftMs / DAY_MS);
		const { authorizationError } = socket;
		const renew = "renew it: sudo certbot renew, or see journalctl -u caddy";
		if (leftMs <= 0) {
			resolve(fail(name, `for ${host} expired at ${end}: ${renew}`));
		} else if (authorizationError) {
			const why = codeOf(authorizationError) || authorizationError;
			const what = `is not accepted for ${host} (${why}): get one as in docs/hosting.md, "Name and certificate"; if it is issued by your own CA, set NODE_EXTRA_CA_CERTS to the CA's certificate file`;
			resolve(fail(name, what));
		} else if (leftMs < RENEWAL_MS) {
			resolve(warn(name, `for ${host} expires in ${days} days: ${renew}`));
		} else resolve(ok(name, `for ${host}, ${days} days left`));
	});
	socket.once("timeout", () => resolve(null));
	socket.on("error", () => resolve(null));
	try {
		return await promise;
	} finally {
		socket.destroy();
	}
}

/** Requests a JSON document. Never throws: a failure is part of the result. */
async function ask(url: string, proxy = proxyFor(url)): Promise<Reply> {
	const startedAt = performance.now();
	const latencyMs = () => performance.now() - startedAt;
	try {
		const response = await fetch(url, {
			headers: { accept: "application/json" },
			redirect: "manual",
			proxy,
			signal: AbortSignal.timeout(TIMEOUT_MS),
		});
		const body = parseObject(await response.text());
		const dateMs = Date.parse(response.headers.get("date") ?? "");
		return { status: response.status, body, dateMs, latencyMs: latencyMs() };
	} catch (error) {
		const failure = codeOf(error) || reasonOf(error);
		const none = { status: 0, body: null, dateMs: Number.NaN };
		return { ...none, latencyMs: latencyMs(), failure };
	}
}
