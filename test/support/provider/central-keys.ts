import { createHash, hkdfSync, randomBytes } from "node:crypto";

/** Who a central key stands for. */
export interface Subject {
	/** The `sub` of its keys and the subject of its signed calls. */
	readonly id: string;
	readonly name: string;
}

const keyLifetimeSeconds = 86_400;

/** The central API keys of a provider, kept as hashes, and their introspection (RFC 7662). */
export class CentralKeys {
	introspections = 0;
	readonly #byHash = new Map<string, object>();
	readonly #credentials: string;
	readonly #issuer: string;

	constructor(secret: string, issuer: string) {
		const password = hkdfSync("sha256", secret, "", "introspection", 32);
		const pair = `resort:${Buffer.from(password).toString("base64url")}`;
		this.#credentials = `Basic ${btoa(pair)}`;
		this.#issuer = issuer;
	}

	/** Creates a key of a user for the resort, valid for a day. */
	create({ id, name }: Subject): string {
		const key = `ai_${randomBytes(24).toString("base64url")}`;
		this.#byHash.set(hash(key), {
			active: true,
			iss: this.#issuer,
			sub: id,
			client_id: "resort",
			aud: "resort",
			scope: "profile resort:use",
			username: name,
			exp: Math.floor(Date.now() / 1000) + keyLifetimeSeconds,
		});
		return key;
	}

	/** Answers an introspection; 401 to anyone but the resort (RFC 7662, section 2.3). */
	async introspect(request: Request): Promise<Response> {
		this.introspections++;
		if (request.headers.get("authorization") !== this.#credentials) {
			return Response.json({ error: "invalid_client" }, { status: 401 });
		}
		const form = new URLSearchParams(await request.text());
		const answer = this.#byHash.get(hash(form.get("token") ?? ""));
		return Response.json(answer ?? { active: false });
	}
}

function hash(key: string): string {
	return createHash("sha256").update(key).digest("hex");
}
