import { checksumOf } from "../support/api-key.ts";
import type { Body } from "../support/body.ts";
import { type Credential, type Drawn, EXPERIENCE } from "./fuzz-requests.ts";
import { AGENT, KEY } from "./fuzz-values.ts";

/** How many agents and experiences there are at most, so that the lists stay as long as they are. */
const MAX_AGENTS = 60;
const MAX_EXPERIENCES = 60;
const COOKIE = "__Host-resort_session";

/** An agent that a fuzz has registered. */
interface Guest {
	readonly id: string;
	key: string;
	session: string;
	/** Active ones. */
	readonly experiences: Set<string>;
	/** Requests under way that may end its key. */
	ending: number;
}

/** A request as it is sent. */
export interface Sent {
	readonly method: string;
	readonly target: string;
	readonly headers: Record<string, string>;
	readonly body: Drawn["body"];
	readonly guest: Guest | undefined;
	/** The guest's key, where it is what is sent and nothing under way may end it; else null. */
	readonly goodKey: string | null;
}

/** What may end the key of the agent that sends it. */
const ENDINGS = ["DELETE /api/me", "POST /api/me/api-key"];

/** The agents and experiences of a fuzz: who sends, what is named, and what answers add to them. */
export class Guests {
	readonly #guests: Guest[] = [];
	#revokedKey = "ar_nobody_nothing";
	#revokedSession = "0".repeat(64);

	/** Puts in place of what was drawn who is there now. */
	fill(drawn: Drawn): Sent {
		const guest = this.#guests[drawn.who % Math.max(1, this.#guests.length)];
		const text = (before: string) => this.#fillText(before, guest);
		const isEnd = drawn.method === "DELETE" && drawn.template === "/api/me";
		// Nobody could archive what an agent leaves behind.
		const credential =
			isEnd && guest?.experiences.size ? "mistyped key" : drawn.credential;
		const isGood = credential === "key" && guest?.ending === 0;
		if (guest !== undefined && mayEnd(drawn)) guest.ending++;
		return {
			method: drawn.method,
			goodKey: isGood ? guest.key : null,
			target: text(drawn.target),
			headers: {
				...(drawn.body !== null && { "content-type": "application/json" }),
				...drawn.headers,
				...this.#credential(credential, guest),
			},
			body: typeof drawn.body === "string" ? text(drawn.body) : drawn.body,
			guest,
		};
	}

	/** Notes that a request is no longer under way, however it ended. */
	done(drawn: Drawn, { guest }: Sent): void {
		if (guest !== undefined && mayEnd(drawn)) guest.ending--;
	}

	/** Whether the key of a request was good all the time that it was under way. */
	hadGoodKey({ guest, goodKey }: Sent): boolean {
		return (
			guest !== undefined &&
			this.#guests.includes(guest) &&
			guest.ending === 0 &&
			guest.key === goodKey
		);
	}

	/** Takes up what an answer made or ended. */
	learn(
		drawn: Drawn,
		{ guest, headers }: Sent,
		body: Partial<Body>,
		cookie: string | null,
	): void {
		const what = `${drawn.method} ${drawn.template}`;
		if (what === "POST /api/agents" && body.agent && body.apiKey) {
			const { id } = body.agent;
			const key = body.apiKey;
			const experiences = new Set<string>();
			this.#guests.push({ id, key, session: "", experiences, ending: 0 });
		}
		if (guest === undefined) return;
		if (what === "POST /api/session" && body.agent) {
			const session = sessionIn(cookie);
			const owner = this.#guests.find(({ id }) => id === body.agent?.id);
			if (owner && session) owner.session = session;
		}
		if (what === "DELETE /api/session") {
			this.#revokedSession = sessionIn(headers.cookie) ?? this.#revokedSession;
		}
		if (what === "POST /api/me/api-key" && body.apiKey) {
			this.#revokedKey = guest.key;
			guest.key = body.apiKey;
		}
		if (what === "POST /api/experiences" && body.experience) {
			guest.experiences.add(body.experience.id);
		}
		if (what === "DELETE /api/experiences/{id}" && body.experience) {
			guest.experiences.delete(body.experience.id);
		}
		if (what === "DELETE /api/me") this.#forget(guest);
	}

	/** A request that makes room when there is too much of something. */
	tidy(): Drawn | null {
		const request = (template: string, target: string, who: number): Drawn => ({
			method: "DELETE",
			template,
			target,
			credential: "key",
			headers: {},
			body: null,
			who,
		});
		const all = this.#guests.reduce(
			(sum, one) => sum + one.experiences.size,
			0,
		);
		const isFull = this.#guests.length > MAX_AGENTS;
		const maker = isFull
			? 0
			: this.#guests.findIndex(({ experiences }) => experiences.size > 0);
		for (const id of this.#guests[maker]?.experiences ?? []) {
			if (!isFull && all <= MAX_EXPERIENCES) break;
			return request("/api/experiences/{id}", `/api/experiences/${id}`, maker);
		}
		return isFull ? request("/api/me", "/api/me", 0) : null;
	}

	#forget(guest: Guest): void {
		const at = this.#guests.indexOf(guest);
		if (at >= 0) this.#guests.splice(at, 1);
		this.#revokedKey = guest.key;
		this.#revokedSession = guest.session || this.#revokedSession;
	}

	#fillText(text: string, guest: Guest | undefined): string {
		if (!text.includes("$")) return text;
		const [experience] = guest?.experiences ?? [];
		return text
			.replaceAll(AGENT, () => guest?.id ?? "nobody")
			.replaceAll(KEY, () => guest?.key ?? this.#revokedKey)
			.replaceAll(EXPERIENCE, () => experience ?? this.#anyExperience());
	}

	#anyExperience(): string {
		for (const { experiences } of this.#guests) {
			for (const id of experiences) return id;
		}
		return "exp-00000000-0000-7000-8000-000000000000";
	}

	#credential(
		credential: Credential,
		guest: Guest | undefined,
	): Record<string, string> {
		const { key, session } = guest ?? { key: "", session: "" };
		const bearer = (value: string) => ({ authorization: `Bearer ${value}` });
		const cookie = (value: string) => ({ cookie: `${COOKIE}=${value}` });
		switch (credential) {
			case "none":
				return {};
			case "key":
				return bearer(key);
			case "session":
				return cookie(session);
			case "both":
				return { ...bearer(key), ...cookie(session) };
			case "other scheme":
				return { authorization: `Basic ${btoa(key)}`, ...cookie(session) };
			case "revoked key":
				return bearer(this.#revokedKey);
			case "revoked session":
				return cookie(this.#revokedSession);
			case "mistyped key":
				return bearer(`${key.slice(0, -6)}${checksumOf(key)}`);
			case "central key":
				return bearer(key.replace("ar_", "ai_"));
			case "garbage":
				return {
					authorization: "Bearer \u00ff",
					cookie: `;=; a; ${COOKIE}; ${COOKIE}=%ff; ${COOKIE}={}`,
				};
		}
	}
}

function mayEnd({ method, template }: Drawn): boolean {
	return ENDINGS.includes(`${method} ${template}`);
}

/** The session token of a `Cookie` or `Set-Cookie` field. */
function sessionIn(cookie: string | null | undefined): string | undefined {
	return new RegExp(`${COOKIE}=([^;]+)`).exec(cookie ?? "")?.[1];
}
