/** Checks of the running instance, and of the public address by which others reach it. */
import { once } from "node:events";
import { isIP } from "node:net";
import { connect, type TLSSocket } from "node:tls";
import type { CoreConfig } from "../core/config/settings.ts";
import { DAY_MS, SECOND_MS } from "../core/lib/clock.ts";
import { codeOf, reasonOf } from "../core/lib/error-reason.ts";
import { parseObject, textIn } from "../core/lib/record.ts";
import { SERVICE, VERSION } from "../core/lib/version.ts";
import { localAddress, proxyFor } from "../core/server/ports.ts";
import { type Finding, fail, ok, warn } from "../core/store/check.ts";

/** The time limit for a response. */
const TIMEOUT_MS = 5 * SECOND_MS;

/**
 * A certificate that is valid for less than this time should have been renewed: ACME clients renew a
 * certificate 30 days before it expires.
 */
const RENEWAL_MS = 14 * DAY_MS;

/** Checks that the instance with these settings responds. */
export async function checkInstance({ host, port }: CoreConfig): Promise<Finding> {
	if (port === 0) return ok("not checked: --port 0 means any free port");
	return checkHealth(localAddress(host, port), {
		proxy: false,
		ifSilent:
			"start it with sudo systemctl start resort, or pass its settings, as in resort doctor --config /etc/resort.toml",
		ifWrong: "see journalctl -u resort, or sudo ss -ltnp if the port is another program's",
	});
}

/** Checks that the public address leads to a resort of this version. */
export async function checkPublicAddress({ "base-url": base }: CoreConfig): Promise<Finding | null> {
	if (base === null) return null;
	return checkHealth(base, {
		proxy: proxyFor(base),
		ifSilent: "check its DNS, the firewall and the proxy (sudo systemctl status nginx caddy)",
		ifWrong: "check the proxy (sudo nginx -t, sudo systemctl status nginx caddy)",
	});
}

/** @param advice what to do if nothing responds, or something other than a healthy resort */
async function checkHealth(
	url: string,
	advice: { readonly proxy: false | undefined; readonly ifSilent: string; readonly ifWrong: string },
): Promise<Finding> {
	const { proxy, ifSilent, ifWrong } = advice;
	const startMs = performance.now();
	try {
		const response = await fetch(`${url}/api/health`, {
			redirect: "manual",
			proxy,
			signal: AbortSignal.timeout(TIMEOUT_MS),
		});
		const body = parseObject(await response.text());
		const version = textIn(body, "version");
		if (response.status !== 200 || textIn(body, "service") !== SERVICE) {
			const status = `${response.status} ${textIn(body, "error")}`.trimEnd();
			return fail(`${url} returned ${status} instead of a resort's health response: ${ifWrong}`);
		}
		if (version === VERSION) return ok(`${url}, ${version}, ${(performance.now() - startMs).toFixed(0)} ms`);
		return warn(`${url} runs ${version}, this program is ${VERSION}: sudo systemctl restart resort`);
	} catch (error) {
		return fail(`${url} does not respond (${codeOf(error) || reasonOf(error)}): ${ifSilent}`);
	}
}

/**
 * Checks that the certificate of the public address is valid for its host name and does not expire soon.
 * @returns null if the address is not https or does not respond
 */
export async function checkCertificate({ "base-url": base }: CoreConfig): Promise<Finding | null> {
	const { protocol, hostname, port } = new URL(base ?? "http:none");
	if (protocol !== "https:") return null;
	const host = hostname.replaceAll(/[[\]]/g, "");
	const socket = connect({
		host,
		port: Number(port || 443),
		// TLS sends no server name for an IP address (RFC 6066, section 3).
		...(isIP(host) === 0 && { servername: host }),
		rejectUnauthorized: false,
	});
	try {
		await once(socket, "secureConnect", { signal: AbortSignal.timeout(TIMEOUT_MS) });
		return judgeCertificate(socket, host);
	} catch {
		return null;
	} finally {
		socket.destroy();
	}
}

function judgeCertificate(socket: TLSSocket, host: string): Finding {
	const { valid_to: end } = socket.getPeerCertificate();
	const leftMs = Date.parse(end) - Date.now();
	const days = Math.floor(leftMs / DAY_MS);
	const { authorizationError } = socket;
	const renew = "renew it: sudo certbot renew, or see journalctl -u caddy";
	if (leftMs <= 0) return fail(`for ${host} expired at ${end}: ${renew}`);
	if (authorizationError) {
		const why = codeOf(authorizationError) || authorizationError;
		return fail(
			`is not accepted for ${host} (${why}): get one as in docs/hosting.md, "Name and certificate"; if it is issued by your own CA, set NODE_EXTRA_CA_CERTS to the CA's certificate file`,
		);
	}
	return leftMs < RENEWAL_MS
		? warn(`for ${host} expires in ${days} days: ${renew}`)
		: ok(`for ${host}, ${days} days left`);
}
