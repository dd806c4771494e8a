import { beforeEach } from "bun:test";
import { createToken } from "../../../../src/features/admin/page/tokens.ts";
import type { Answered, CallOptions } from "../../../support/calls.ts";
import type { TestResort } from "../../../support/resort.ts";
import { BROWSER, FORM } from "../../pages/support/visitor.ts";

/** Creates a one-time code, as `resort admin page` does. */
export function createCode({ context }: TestResort): Promise<string> {
	return context.store.write(() => createToken(context, { kind: "code" }));
}

/** The fields that a form sends when its only button is pressed. */
export type SentForm = Readonly<Record<string, string>>;

/**
 * Simulates the host's web browser without scripts: keeps the cookie, and sends forms from the page's origin.
 */
export class HostBrowser {
	/** The `Cookie` field; empty without a session. */
	cookie = "";

	constructor(
		public resort: TestResort,
		readonly url = resort.context.baseUrl,
	) {}

	open(path = "", ask: CallOptions = {}): Promise<Answered> {
		return this.ask("GET", path, ask);
	}

	/** Sends a form, from the page's own origin unless header fields say otherwise. */
	send(path: string, fields: SentForm, ask: CallOptions = {}): Promise<Answered> {
		const headers = { "content-type": FORM, origin: new URL(this.url).origin, ...ask.headers };
		return this.ask("POST", path, { raw: new URLSearchParams(fields).toString(), ...ask, headers });
	}

	async ask(method: string, path: string, ask: CallOptions): Promise<Answered> {
		const answered = await this.resort.call(method, `/admin${path}`, {
			...ask,
			headers: {
				accept: BROWSER,
				host: new URL(this.url).host,
				...(this.cookie !== "" && { cookie: this.cookie }),
				...ask.headers,
			},
		});
		const [pair = ""] = (answered.headers.get("set-cookie") ?? "").split(";");
		if (pair !== "") this.cookie = pair.endsWith("=") ? "" : pair;
		return answered;
	}

	/** Signs in; throws if that is refused. */
	async signIn(): Promise<this> {
		const { status, text } = await this.send("/enter", { code: await createCode(this.resort) });
		if (status !== 303) throw new Error(`${status} ${text}`);
		return this;
	}

	/** Asks for a change and confirms it. Throws if either is refused. */
	async change(fields: SentForm, ask: CallOptions = {}): Promise<Answered> {
		const question = await this.send("/change", fields, ask);
		const [form = {}] = formsIn(question.text).filter(({ confirmation }) => confirmation);
		const done = await this.send("/change", form, ask);
		if (done.status !== 200) throw new Error(`${question.text} ${done.text}`);
		return done;
	}
}

/** Returns the forms on a page that send a change, each as the fields that it sends. */
export function formsIn(markup: string): SentForm[] {
	const forms = markup.matchAll(/<form method="post" action="[^"]*\/admin\/change">(.*?)<\/form>/gs);
	return [...forms].map(([, inner = ""]) => {
		const inputs = inner.matchAll(
			/<input (?:type="hidden"|id="[^"]*") name="([^"]*)"[^>]*? value="([^"]*)"/g,
		);
		return Object.fromEntries([...inputs].map(([, name = "", value = ""]) => [name, value]));
	});
}

/** Returns the content of a page, without its style and its script. */
export function mainIn(markup: string): string {
	return /<main.*<\/main>/s.exec(markup)?.[0] ?? "";
}

/** Returns the browser of the resort's host. It signs in before each test. */
export function useHost(resort: TestResort): HostBrowser {
	const browser = new HostBrowser(resort, "");
	beforeEach(async () => {
		Object.assign(browser, { cookie: "", url: resort.context.baseUrl });
		await browser.signIn();
	});
	return browser;
}
