/** Checks the running instance, and the public address at which others reach the instance. */
import { once } from "node:events";
import { isIP } from "node:net";
import { connect } from "node:tls";
import { DAY_MS } from "../core/lib/clock.ts";
import { codeOf, messageOf } from "../core/lib/error-reason.ts";
import { textIn } from "../core/lib/record.ts";
import { SERVICE, VERSION } from "../core/lib/version.ts";
import { type Finding, fail, ok, warn, warnUnless } from "../core/store/check.ts";
import { requestHealth, TIMEOUT_MS } from "./health.ts";

/** With fewer days left, renewal has failed: ACME clients renew a certificate 30 days before it expires. */
const RENEWAL_DAYS = 14;

const RENEW = "renew it: sudo certbot renew, or see journalctl -u caddy";

/** Checks that a resort responds, and has the version of this program. `advice` is shown if none responds. */
export async function checkHealth(url: string, proxy: false | undefined, advice: string): Promise<Finding> {
	const startMs = performance.now();
	try {
		const { status, body } = await requestHealth(url, proxy);
		const version = textIn(body, "version");
		const error = textIn(body, "error");
		// A 503 of a resort contains its checks, unlike a 503 of a proxy.
		if (status === 503 && body.checks !== undefined) {
			return fail(`${url} runs but is unhealthy (${error}): see the other lines, or journalctl -u resort`);
		}
		if (status !== 200 || body.service !== SERVICE) {
			const what = `${status} ${error}`.trimEnd();
			return fail(`${url} returned ${what} instead of a resort's health response: ${advice}`);
		}
		if (version === VERSION) return ok(`${url}, ${version}, ${(performance.now() - startMs).toFixed(0)} ms`);
		return warn(`${url} runs ${version}, this program is ${VERSION}: sudo systemctl restart resort`);
	} catch (error) {
		return fail(`${messageOf(error)}: ${advice}`);
	}
}

/**
 * Checks that the certificate of a server is valid for the host name and does not expire soon. Returns null
 * if the server does not respond, because the check of the public address reports this failure.
 */
export async function checkCertificate({ hostname, port }: URL): Promise<Finding | null> {
	const host = hostname.replaceAll(/[[\]]/g, "");
	// TLS sends no server name for an IP address (RFC 6066, section 3).
	const name = isIP(host) === 0 ? { servername: host } : {};
	const socket = connect({ host, port: Number(port || 443), ...name, rejectUnauthorized: false });
	let end: string;
	try {
		await once(socket, "secureConnect", { signal: AbortSignal.timeout(TIMEOUT_MS) });
		end = socket.getPeerCertificate().valid_to;
	} catch {
		return null;
	} finally {
		socket.destroy();
	}
	const { authorizationError: error } = socket;
	const days = Math.floor((Date.parse(end) - Date.now()) / DAY_MS);
	const what = `for ${host}, ${days} days left`;
	if (error) {
		return fail(
			`${what}, is not accepted (${codeOf(error) || error}): ${RENEW}, or get one as in docs/hosting.md, "Name and certificate"; if it is issued by your own CA, set NODE_EXTRA_CA_CERTS to the CA's certificate file`,
		);
	}
	return warnUnless(days >= RENEWAL_DAYS, what, RENEW);
}
