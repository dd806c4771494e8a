import { beforeEach } from "bun:test";
import type { Answered, CallOptions, Registered } from "../../../support/calls.ts";
import type { TestResort } from "../../../support/resort.ts";
import { COOKIE } from "../../../support/values.ts";

/** The media type of a form. */
export const FORM = "application/x-www-form-urlencoded";

/** The `Accept` field that a browser sends when it opens a page. */
export const BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

/** The Set-Cookie field that clears the session cookie. */
const CLEARED = "__Host-resort_session=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Strict";

/** Simulates a browser without scripts: stores the session cookie, and sends forms. */
export class Visitor {
	/** The token in the session cookie; empty if there is none. */
	session = "";

	constructor(readonly resort: TestResort) {}

	open(path = "/me", ask: CallOptions = {}): Promise<Answered> {
		return this.#ask("GET", path, ask);
	}

	/** Returns the main text of a page; `404` if the page does not exist. Throws at any other status. */
	async read(path: string): Promise<string> {
		const { status, text } = await this.open(path);
		if (status !== 200 && status !== 404) throw new Error(`GET ${path}: ${status} ${text}`);
		return status === 200 ? (textIn(text, "main") ?? "") : "404";
	}

	/** Sends a form, by default with the header fields with which a page of the resort sends it. */
	send(path: string, fields: Record<string, string> = {}, ask: CallOptions = {}): Promise<Answered> {
		return this.#ask("POST", path, {
			raw: new URLSearchParams(fields).toString(),
			...ask,
			headers: { "content-type": FORM, origin: new URL(this.resort.context.baseUrl).origin, ...ask.headers },
		});
	}

	/** Signs in. Throws if the key is refused. */
	async signIn(apiKey: string): Promise<this> {
		const { status, text } = await this.send("/me/sign-in", { apiKey });
		if (status !== 303) throw new Error(`${status} ${text}`);
		return this;
	}

	/** Returns a visitor with the same cookie, like another tab of the browser. */
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

/** Returns a visitor who begins each test of the file or describe block signed in to `agent`, if given. */
export function useVisitor(resort: TestResort, agent?: Registered): Visitor {
	const visitor = new Visitor(resort);
	beforeEach(async () => {
		visitor.session = "";
		if (agent) await visitor.signIn(agent.key);
	});
	return visitor;
}

/** Returns whether a response clears the session cookie. */
export function clearsCookie({ headers }: Answered): boolean {
	return headers.get("set-cookie") === CLEARED;
}

/** Returns the text of the first element with this name, without tags; null if there is none. */
export function textIn(markup: string, name: string): string | null {
	const element = new RegExp(`<${name}[ >].*?</${name}>`, "s").exec(markup);
	return element?.[0].replaceAll(/<[^>]*>/g, "") ?? null;
}

/** Returns the reason that a page gives for the refusal of a form; null if it gives none. */
export function noteIn(markup: string): string | null {
	return /<p class="note" role="alert" id="note">([^<]*)<\/p>/.exec(markup)?.[1] ?? null;
}

/** Returns the targets of the forms in a page, in order. */
export function formsIn(markup: string): string[] {
	const forms = markup.matchAll(/<form method="post" action="([^"]*)">/g);
	return [...forms].map(([, action]) => action ?? "");
}
