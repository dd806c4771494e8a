import { createHash, createHmac, hkdfSync, randomBytes } from "node:crypto";

/** What a signature of a capability call is made of. */
export interface CapabilityCall {
	readonly secret: string;
	readonly keyId?: string;
	readonly method: string;
	readonly url: string;
	readonly body?: string;
	readonly subject: string;
	readonly agentId: string;
	readonly capability: string;
	readonly mode: string;
	readonly nowMs?: number;
	readonly nonce?: string;
}

/** The headers that sign a capability call (RFC 9421 and RFC 9530). */
export function signCapabilityCall(
	call: CapabilityCall,
): Record<string, string> {
	const digest = createHash("sha256").update(call.body ?? "");
	const covered: Record<string, string> = {
		"@method": call.method,
		"@target-uri": call.url,
		"content-digest": `sha-256=:${digest.digest("base64")}:`,
		"x-agent-subject": call.subject,
		"x-agent-id": call.agentId,
		"x-agent-capability": call.capability,
		"x-agent-mode": call.mode,
	};
	const created = Math.floor((call.nowMs ?? Date.now()) / 1000);
	const nonce = call.nonce ?? randomBytes(16).toString("base64url");
	const names = Object.keys(covered).map((name) => `"${name}"`);
	const input = `(${names.join(" ")});created=${created};expires=${created + 60};nonce="${nonce}";keyid="${call.keyId ?? "resort-1"}";alg="hmac-sha256";tag="agent-auth-proxy"`;
	const base = [
		...Object.entries(covered).map(([name, value]) => `"${name}": ${value}`),
		`"@signature-params": ${input}`,
	].join("\n");
	const key = hkdfSync("sha256", call.secret, "", "agent-auth-proxy", 32);
	const mac = createHmac("sha256", new Uint8Array(key)).update(base);
	return {
		...Object.fromEntries(
			Object.entries(covered).filter(([name]) => !name.startsWith("@")),
		),
		"signature-input": `sig1=${input}`,
		signature: `sig1=:${mac.digest("base64")}:`,
	};
}
