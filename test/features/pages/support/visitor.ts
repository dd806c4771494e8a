import { beforeEach } from "bun:test";
import type { Answered, CallOptions, Registered } from "../../../support/calls.ts";
import type { TestResort } from "../../../support/resort.ts";
import { COOKIE } from "../../../support/values.ts";

/** The media type of a form. */
export const FORM = "application/x-www-form-urlencoded";

/** What a browser says of a page that it wants to show. */
export const BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

/** The session cookie when it is cleared. */
const CLEARED = "__Host-resort_session=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Strict";

/** A person with a browser that runs no scripts: it keeps the cookie, and sends forms. */
export class Visitor {
	/** The token in its cookie; empty without one. */
	session = "";

	constructor(readonly resort: TestResort) {}

	open(path = "/me", ask: CallOptions = {}): Promise<Answered> {
		return this.#ask("GET", path, ask);
	}

	/** Sends a form, from the resort's own page unless header fields say otherwise. */
	send(path: string, fields: Record<string, string> = {}, ask: CallOptions = {}): Promise<Answered> {
		return this.#ask("POST", path, {
			raw: new URLSearchParams(fields).toString(),
			...ask,
			headers: { "content-type": FORM, origin: new URL(this.resort.context.baseUrl).origin, ...ask.headers },
		});
	}

	/** Signs in; throws when it is refused. */
	async signIn(apiKey: string): Promise<this> {
		const { status, text } = await this.send("/me/sign-in", { apiKey });
		if (status !== 303) throw new Error(`${status} ${text}`);
		return this;
	}

	/** Another tab of the same browser: it has the same cookie, and keeps it. */
	tab(): Visitor {
		const tab = new Visitor(this.resort);
		tab.session = this.session;
		return tab;
	}

	async #ask(method: string, path: string, ask: CallOptions): Promise<Answered> {
		const answered = await this.resort.call(method, path, {
			...(this.session !== "" && { session: this.session }),
			...ask,
			headers: { accept: BROWSER, ...ask.headers },
		});
		const set = answered.headers.get("set-cookie");
		if (set === CLEARED) this.session = "";
		else if (set !== null) {
			const [, token] = COOKIE.exec(set) ?? [];
			if (token === undefined) throw new Error(`not the cookie: ${set}`);
			this.session = token;
		}
		return answered;
	}
}

/** Returns a visitor with a new browser for each test of a file or a describe block. */
export function useVisitor(resort: TestResort, agent?: Registered): Visitor {
	const visitor = new Visitor(resort);
	beforeEach(async () => {
		visitor.session = "";
		if (agent) await visitor.signIn(agent.key);
	});
	return visitor;
}

/** Returns every form of `/me` with the fields that it needs, as rows. */
export const formsOf = (
	agent: Registered,
): readonly (readonly [path: string, fields: () => Record<string, string>])[] => [
	["/me/sign-in", () => ({ apiKey: agent.key })],
	["/me/check-out", () => ({})],
	["/me/sign-out", () => ({})],
	["/me/sessions", () => ({})],
	["/me/key", () => ({ apiKey: agent.key })],
	["/me/deactivate", () => ({ agent: agent.id, apiKey: agent.key })],
];

/** Whether an answer clears the cookie. */
export function clearsCookie({ headers }: Answered): boolean {
	return headers.get("set-cookie") === CLEARED;
}

/** The text of the first element with this name, without its tags; null when there is none. */
export function textIn(markup: string, name: string): string | null {
	const element = new RegExp(`<${name}[ >].*?</${name}>`, "s").exec(markup);
	return element?.[0].replaceAll(/<[^>]*>/g, "") ?? null;
}

/** Why a form was refused, as its page says; null if it says nothing. */
export function noteIn(markup: string): string | null {
	return /<p class="note" role="alert" id="note">([^<]*)<\/p>/.exec(markup)?.[1] ?? null;
}

/** The forms of a page: where each goes, by its order. */
export function formsIn(markup: string): string[] {
	const forms = markup.matchAll(/<form method="post" action="([^"]*)">/g);
	return [...forms].map(([, action]) => action ?? "");
}
