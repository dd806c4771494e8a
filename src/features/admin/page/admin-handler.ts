import type { Logger } from "@logtape/logtape";
import type { Answer, CallSource } from "../../../core/calls/call.ts";
import type { AppServices } from "../../../core/commands/feature.ts";
import type { PathHandler } from "../../../core/http/app.ts";
import { refusalOfPage } from "../../../core/http/origin-check.ts";
import { readSource } from "../../../core/http/read-call.ts";
import { baseHeaders } from "../../../core/http/send-response.ts";
import { respond, type Transport, textAnswer } from "../../../core/http/transport.ts";
import { MINUTE_MS, SECOND_MS } from "../../../core/lib/clock.ts";
import { isLoopback } from "../../../core/lib/ip-address.ts";
import { ResortError } from "../../../core/lib/resort-error.ts";
import { SlidingWindow, type Window } from "../../../core/lib/sliding-window.ts";
import { UsageError } from "../../../core/lib/start-error.ts";
import { headersWithStyle, prefixOf } from "../../pages/html-page.ts";
import { readForm } from "../../pages/read-form.ts";
import type { AdminContext } from "../history.ts";
import { type Fields, makeChange, readChange, targetOf } from "./changes.ts";
import { confirmMain, doneMain, enterMain, failedMain, outsideMain } from "./entry-pages.ts";
import { listPage } from "./list-pages.ts";
import { ADMIN, type HostPage, pageStyle, writeHostPage } from "./shell.ts";
import { createToken, endSession, isTokenValid, lifetimes, useToken } from "./tokens.ts";

/** The user of the changes in the history. */
const USER = "page";

/** How many wrong codes or cookies a network may send within {@link WINDOW_MS}. */
const MAX_WRONG = 10;
const WINDOW_MS = 15 * MINUTE_MS;

/** The maximum number of networks whose wrong codes are counted in memory. */
const MAX_NETWORKS = 10_000;

/**
 * How browsers reach the page. `secure`: by https. `local`: by http on this machine, where the cookie cannot
 * have the prefix `__Host-` and the attribute `Secure`, which some browsers accept only over https.
 */
type Door = "secure" | "local";

const cookieNames = { secure: "__Host-resort_admin", local: "resort_admin" } as const;

/** A request in progress. */
interface Visit {
	readonly request: Request;
	readonly source: Omit<CallSource, "credentials">;
	/** The path below /admin, without a final slash. */
	readonly path: string;
	readonly query: Fields;
	readonly door: Door;
}

/** The host's page and its forms. A browser signs in with a one-time code, and gets a session. */
export class AdminHandler {
	readonly #context: AdminContext;
	readonly #log: Logger;
	/** Counts wrong codes and cookies by network. Unlike the rate limits, it cannot be switched off. */
	readonly #wrong: Window;

	constructor(
		private readonly transport: Transport,
		{ services, log }: AppServices,
	) {
		const { createWindow } = services.store;
		this.#log = log;
		this.#context = { ...services, command: "", systemUser: USER, log };
		this.#wrong = createWindow?.("admin-page", WINDOW_MS) ?? new SlidingWindow(WINDOW_MS, MAX_NETWORKS);
	}

	/** Returns the handlers of the page and of all paths below it. */
	get handlers(): PathHandler[] {
		const answer = (request: Request) => this.#answer(request);
		return [ADMIN, `${ADMIN}/*`].map((path) => ({ path, answer }));
	}

	async #answer(request: Request): Promise<Response> {
		const source = readSource(request, ADMIN, this.transport);
		const answer = await this.#respond(request, source);
		const base = { ...baseHeaders, ...headersWithStyle(pageStyle()), "x-robots-tag": "noindex" };
		return respond(this.transport, request, { source, answer, base });
	}

	async #respond(request: Request, source: Visit["source"]): Promise<Answer> {
		const { pathname, searchParams } = new URL(request.url);
		try {
			const visit: Visit = {
				request,
				source,
				path: pathname.slice(ADMIN.length).replace(/\/$/, ""),
				query: Object.fromEntries(searchParams),
				door: this.#doorOf(request),
			};
			await this.#context.store.checkFreshness();
			if (visit.path === "/enter") return await this.#enter(visit);
			const token = cookieOf(request, visit.door);
			if (token === "" || !(await this.#isOpen(visit, token))) return this.#outside(visit, token !== "");
			return await this.#inside(visit, token);
		} catch (error) {
			return this.#failed(error, request);
		}
	}

	/**
	 * Checks that a browser has sent the request to an own name of the resort, and not for a page of another
	 * origin.
	 * @throws ResortError `forbidden`
	 */
	#doorOf(request: Request): Door {
		const { baseUrl } = this.#pageContext;
		const { headers } = request;
		const own = new URL(baseUrl);
		const hint = "Open the page at its own address.";
		const isRead = request.method === "GET" || request.method === "HEAD";
		const isLink =
			isRead && headers.get("sec-fetch-mode") === "navigate" && pathOf(request) === `${ADMIN}/enter`;
		const refusal = isLink ? null : refusalOfPage(request, this.#pageContext, hint);
		if (refusal !== null) throw refusal;
		const host = URL.parse(`http://${headers.get("host")}`)?.hostname ?? "";
		const isLocal = isLoopback(host);
		if (own.protocol === "https:" && (host === own.hostname || headers.get("origin") === own.origin)) {
			return "secure";
		}
		if (isLocal) return "local";
		if (host !== own.hostname) {
			throw new ResortError("forbidden", "Unknown host name", {
				hint: `The page is at ${baseUrl}${ADMIN}; --base-url sets this address.`,
			});
		}
		throw new ResortError("forbidden", "This page requires https", {
			hint: "Over http it is available only on the resort's own machine, such as through an SSH tunnel. Set --base-url to the https address.",
		});
	}

	/** Shows the button that uses a code, or begins a session with the code. */
	async #enter({ request, source, query, door }: Visit): Promise<Answer> {
		if (isRead(request))
			return this.#page({ title: "Sign in as the host", main: enterMain(query.code ?? "") });
		if (request.method !== "POST") throw notFound();
		const { code = "" } = await readForm(request, this.transport);
		await this.#count(source);
		const context = this.#context;
		const token = await context.store.write(function* () {
			const isValid = yield* useToken(context, { kind: "code" }, code.trim());
			return isValid ? yield* createToken(context, { kind: "session" }) : null;
		});
		if (token === null) {
			this.#log.warn("wrong code for the host's page", { address: source.address() });
			return this.#page({
				title: "This link is no longer valid",
				status: 401,
				main: outsideMain("A link works once, within 10 minutes."),
			});
		}
		await this.#wrong.refund(this.#keysOf(source), this.#context.clock());
		this.#log.info("the host has signed in", { address: source.address() });
		return this.#to("", { "set-cookie": cookie(door, token, lifetimes.session / SECOND_MS) });
	}

	/** Whether a session is open. Counts a wrong cookie. */
	async #isOpen({ source }: Visit, token: string): Promise<boolean> {
		const context = this.#context;
		const isValid = await context.store.read(() => isTokenValid(context, { kind: "session" }, token));
		if (!isValid) await this.#count(source);
		return isValid;
	}

	/**
	 * Counts a wrong code or cookie.
	 * @throws ResortError `rate_limited`
	 */
	async #count(source: Visit["source"]): Promise<void> {
		const { admitted, resetSeconds } = await this.#wrong.admit(this.#keysOf(source), this.#context.clock());
		if (!admitted)
			throw new ResortError("rate_limited", "Too many attempts", { retryAfterSeconds: resetSeconds });
	}

	#keysOf({ address }: Visit["source"]) {
		return [{ key: address(), limit: MAX_WRONG }];
	}

	/** The answer without a session: only the page itself explains how to get one. */
	#outside({ request, path, door }: Visit, hasCookie: boolean): Answer {
		const isPage = path === "" && isRead(request);
		const headers = hasCookie ? { "set-cookie": cookie(door, "", 0) } : {};
		const note = hasCookie ? "The session has ended." : null;
		return this.#page({
			title: "For the host",
			status: isPage ? 200 : 401,
			headers,
			main: outsideMain(note),
		});
	}

	async #inside(visit: Visit, session: string): Promise<Answer> {
		const { request, path, query } = visit;
		if (isRead(request)) {
			const page = await listPage(this.#context, path, query);
			if (page === null) throw notFound();
			return this.#page({ ...page, current: path });
		}
		if (request.method !== "POST") throw notFound();
		if (path === "/leave") {
			await this.#context.store.write(() => endSession(this.#context, session));
			return this.#to("", { "set-cookie": cookie(visit.door, "", 0) });
		}
		if (path !== "/change") throw notFound();
		return this.#change(await readForm(request, this.transport), session);
	}

	/** Asks whether a change shall be made, or makes it if the form contains the confirmation. */
	async #change({ confirmation = "", ...sent }: Fields, session: string): Promise<Answer> {
		const context = this.#context;
		const change = readChange(sent);
		const purpose = {
			kind: "confirmation",
			subject: JSON.stringify([session, change.name, change.fields]),
		} as const;
		if (confirmation === "") {
			const target = await targetOf(context, change);
			const token = await context.store.write(() => createToken(context, purpose));
			return this.#page({ title: "Are you sure?", main: confirmMain(change, target, token) });
		}
		if (!(await context.store.write(() => useToken(context, purpose, confirmation)))) {
			throw new ResortError("invalid", "This was confirmed before, or more than 10 minutes ago");
		}
		return this.#page({ title: "Done", main: doneMain(change, await makeChange(context, change)) });
	}

	#to(path: string, headers: Answer["headers"]): Answer {
		return textAnswer(303, "", {
			location: `${prefixOf(this.#pageContext.baseUrl)}${ADMIN}${path}`,
			...headers,
		});
	}

	#page({
		status = 200,
		headers = {},
		...page
	}: HostPage & Partial<Pick<Answer, "status" | "headers">>): Answer {
		return textAnswer(status, writeHostPage(this.#pageContext, page), headers);
	}

	#failed(error: unknown, request: Request): Answer {
		const known = error instanceof UsageError ? new ResortError("invalid", error.message) : error;
		const { status, headers, failure } = this.transport.pipeline.failures.of(known, {
			...readSource(request, ADMIN, this.transport).request,
		});
		return this.#page({ title: "This did not work", status, headers, main: failedMain(failure?.body ?? {}) });
	}

	get #pageContext() {
		return this.transport.pipeline.context;
	}
}

function isRead({ method }: Request): boolean {
	return method === "GET" || method === "HEAD";
}

function pathOf(request: Request): string {
	return new URL(request.url).pathname;
}

function notFound(): ResortError {
	return new ResortError("not_found", "Not found");
}

/** Returns the value of the cookie of a session; an empty string if there is none. */
function cookieOf({ headers }: Request, door: Door): string {
	const pattern = new RegExp(`(?:^|;)[ \\t]*${cookieNames[door]}=([0-9a-f]*)`);
	return pattern.exec(headers.get("cookie") ?? "")?.[1] ?? "";
}

/** Returns a `Set-Cookie` field (RFC 6265). */
function cookie(door: Door, token: string, maxAgeSeconds: number): string {
	const secure = door === "secure" ? "; Secure" : "";
	return `${cookieNames[door]}=${token}; Max-Age=${maxAgeSeconds}; Path=/; HttpOnly; SameSite=Strict${secure}`;
}
