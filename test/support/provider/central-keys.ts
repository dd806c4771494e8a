import type { Database } from "bun:sqlite";
import { createHash, hkdfSync, randomBytes } from "node:crypto";

/** Who a central key stands for. */
export interface Subject {
	/** The `sub` of its keys and the subject of its signed calls. */
	readonly id: string;
	readonly name: string;
}

/** An introspection answer (RFC 7662, section 2.2). */
export interface Introspected {
	readonly active: boolean;
	readonly iss: string;
	readonly sub: string;
	readonly client_id: string;
	readonly aud: string | readonly string[];
	readonly scope: string;
	readonly username: string;
	/** Seconds since 1970. */
	readonly exp: number;
}

/** What the resort sent to have a key introspected. */
export interface Introspection {
	readonly authorization: string | null;
	readonly form: Readonly<Record<string, string>>;
}

/** Changes to what the provider says of a key; a field that is undefined is left out of the answer. */
export type KeyChanges = {
	readonly [Field in keyof Introspected]?: Introspected[Field] | undefined;
};

const keyLifetimeSeconds = 86_400;

/** The central API keys of a provider, kept as hashes beside its users, and their introspection. */
export class CentralKeys {
	/** Every introspection that was asked for, answered or not. */
	readonly asked: Introspection[] = [];
	/**
	 * What answers in place of the provider: an outage, a proxy, silence (a promise that never ends).
	 * Null when the provider answers itself.
	 */
	instead: (() => Response | Promise<Response>) | null = null;
	readonly #database: Database;
	readonly #credentials: string;
	readonly #issuer: string;
	readonly #clock: () => number;

	/**
	 * @param secret what the resort and the provider share
	 * @param issuer the address of the provider, without a slash at its end
	 * @param clock milliseconds since 1970
	 */
	constructor(
		database: Database,
		secret: string,
		issuer: string,
		clock: () => number,
	) {
		this.#database = database;
		const password = hkdfSync("sha256", secret, "", "introspection", 32);
		const pair = `resort:${Buffer.from(password).toString("base64url")}`;
		this.#credentials = `Basic ${btoa(pair)}`;
		this.#issuer = issuer;
		this.#clock = clock;
		database.run(
			"CREATE TABLE central_keys (hash TEXT PRIMARY KEY, answer TEXT NOT NULL) STRICT",
		);
	}

	/** Makes a key of a user, for the resort; it is good for a day. */
	create({ id, name }: Subject): string {
		const key = `ai_${randomBytes(24).toString("base64url")}`;
		const answer: Introspected = {
			active: true,
			iss: this.#issuer,
			sub: id,
			client_id: "resort",
			aud: "resort",
			scope: "profile resort:use",
			username: name,
			exp: Math.floor(this.#clock() / 1000) + keyLifetimeSeconds,
		};
		this.#database.run("INSERT INTO central_keys VALUES (?, ?)", [
			hash(key),
			JSON.stringify(answer),
		]);
		return key;
	}

	/** Changes what the provider says of a key from now on, be it true or not. */
	change(key: string, changes: KeyChanges): void {
		const answer = { ...this.#find(key), ...changes };
		this.#database.run("UPDATE central_keys SET answer = ? WHERE hash = ?", [
			JSON.stringify(answer),
			hash(key),
		]);
	}

	/** Takes a key back. */
	revoke(key: string): void {
		this.#database.run("DELETE FROM central_keys WHERE hash = ?", [hash(key)]);
	}

	/** Answers an introspection; 401 to anyone but the resort (RFC 7662, section 2.3). */
	async introspect(request: Request): Promise<Response> {
		const form = Object.fromEntries(new URLSearchParams(await request.text()));
		const authorization = request.headers.get("authorization");
		this.asked.push({ authorization, form });
		if (this.instead !== null) return this.instead();
		if (authorization !== this.#credentials) {
			return Response.json({ error: "invalid_client" }, { status: 401 });
		}
		const answer = this.#find(form.token ?? "");
		return Response.json(answer ?? { active: false });
	}

	#find(key: string): Introspected | null {
		const row = this.#database
			.query<{ answer: string }, [string]>(
				"SELECT answer FROM central_keys WHERE hash = ?",
			)
			.get(hash(key));
		return row === null ? null : JSON.parse(row.answer);
	}
}

function hash(key: string): string {
	return createHash("sha256").update(key).digest("hex");
}
