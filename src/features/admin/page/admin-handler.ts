import type { Logger } from "@logtape/logtape";
import type { Answer } from "../../../core/calls/answer.ts";
import type { CallSource } from "../../../core/calls/call.ts";
import type { AppServices } from "../../../core/commands/feature.ts";
import type { PathHandler } from "../../../core/http/app.ts";
import { readSource } from "../../../core/http/read-call.ts";
import { isRead } from "../../../core/http/received-request.ts";
import { baseHeaders, respond, type Transport, textAnswer } from "../../../core/http/send-response.ts";
import { MINUTE_MS } from "../../../core/lib/clock.ts";
import { networkLimits } from "../../../core/lib/ip-address.ts";
import { once } from "../../../core/lib/once.ts";
import { invalid, ResortError } from "../../../core/lib/resort-error.ts";
import { SlidingWindow, type Window } from "../../../core/lib/sliding-window.ts";
import { UsageError } from "../../../core/lib/start-error.ts";
import { headersWithStyle, prefixOf } from "../../pages/html-page.ts";
import { readForm } from "../../pages/read-form.ts";
import type { PersonalData } from "../queries.ts";
import { type ClaimedSession, claimedSession, cookieOf, type Door, doorOf } from "./access.ts";
import {
	type Change,
	choicesOf,
	type Fields,
	makeChange,
	type PageContext,
	readChange,
	targetOf,
} from "./changes.ts";
import { confirmMain, doneMain, enterMain, failedMain, outsideMain } from "./entry-pages.ts";
import { listPage } from "./list-pages.ts";
import { ADMIN, type HostPage, pageStyle, writeHostPage } from "./shell.ts";
import { createToken, isTokenValid, useToken } from "./tokens.ts";

/** The user that the history names for changes on the page. */
const USER = "page";

/** How many wrong codes and cookies a network may send within {@link WINDOW_MS}. */
const MAX_WRONG = 10;
const WINDOW_MS = 15 * MINUTE_MS;

/** The maximum number of networks whose wrong codes are counted in memory. */
const MAX_NETWORKS = 10_000;

/** The default header fields of all responses. They forbid caching and indexing. */
const pageHeaders = once(() => ({
	...baseHeaders,
	...headersWithStyle(pageStyle()),
	"x-robots-tag": "noindex",
}));

/** A request in progress. */
interface Visit {
	readonly request: Request;
	readonly source: Omit<CallSource, "credentials">;
	/** The path below /admin, without a final slash. */
	readonly path: string;
	/** The query parameters. If a parameter is repeated, its last value counts. */
	readonly query: Fields;
	readonly door: Door;
}

/** A page with the status and the further header fields of its answer. */
type PageAnswer = HostPage & Partial<Pick<Answer, "status" | "headers">>;

/** The host's page and its forms. A browser signs in with a one-time code, and gets a session. */
export class AdminHandler {
	readonly #context: PageContext;
	readonly #log: Logger;
	/** Counts wrong codes and cookies by network. Unlike the rate limits, this limit cannot be switched off. */
	readonly #wrong: Window;

	constructor(
		private readonly transport: Transport,
		{ services, log, baseUrl }: AppServices,
		private readonly own: {
			readonly personalData: PersonalData;
			/** Returns the first page. */
			readonly overview: () => Promise<HostPage>;
		},
	) {
		const { personalData } = own;
		this.#log = log;
		this.#context = { ...services, command: "", systemUser: USER, log, personalData, baseUrl };
		this.#wrong =
			services.store.createWindow?.("admin-page", WINDOW_MS) ?? new SlidingWindow(WINDOW_MS, MAX_NETWORKS);
	}

	/** Returns the handlers of the page and of all paths below it. */
	get handlers(): PathHandler[] {
		const answer = (request: Request) => this.#answer(request);
		return [ADMIN, `${ADMIN}/*`].map((path) => ({ path, answer }));
	}

	async #answer(request: Request): Promise<Response> {
		const source = readSource(request, ADMIN, this.transport);
		const answer = await this.#respond(request, source);
		return respond(this.transport, request, { source, answer, base: pageHeaders() });
	}

	async #respond(request: Request, source: Visit["source"]): Promise<Answer> {
		const { pathname, searchParams } = new URL(request.url);
		try {
			const visit: Visit = {
				request,
				source,
				path: pathname.slice(ADMIN.length).replace(/\/$/, ""),
				query: Object.fromEntries(searchParams),
				door: doorOf(request, this.transport.pipeline.context),
			};
			if (visit.path === "/enter") return await this.#enter(visit);
			const claimed = claimedSession(request, visit.door);
			if (claimed === null) return this.#outside(visit);
			const context = this.#context;
			const isOpen = () => isTokenValid(context, { kind: "session" }, claimed.token);
			if (await context.store.read(isOpen)) {
				return await this.#inside(visit, claimed).catch((error) => this.#failed(error, visit));
			}
			await this.#count(source);
			return this.#outside(visit, claimed);
		} catch (error) {
			return this.#failed(error, { source });
		}
	}

	/** Shows the button that sends the code of a link, or begins a session with the sent code. */
	async #enter(visit: Visit): Promise<Answer> {
		const { request, source, query, door } = visit;
		if (isRead(request)) {
			if (!query.code) return this.#outside(visit);
			return this.#page({ title: "Sign in as the host", main: enterMain(query.code) });
		}
		if (request.method !== "POST") throw notFound();
		const { code = "" } = await readForm(request, this.transport);
		// Counts the code before checking it, so that concurrent requests cannot exceed the limit.
		await this.#count(source);
		const context = this.#context;
		const token = await context.store.write(function* () {
			const isValid = yield* useToken(context, { kind: "code" }, code.trim());
			return isValid ? yield* createToken(context, { kind: "session" }) : null;
		});
		if (token === null) {
			this.#log.warn("wrong code for the host's page");
			return this.#page({
				title: "This link is no longer valid",
				status: 401,
				main: outsideMain("This link is no longer valid."),
			});
		}
		await this.#wrong.refund(this.#keysOf(source), context.clock());
		this.#log.info("signed in at the host's page");
		return this.#home({ "set-cookie": cookieOf({ token, door }) });
	}

	/**
	 * Counts a wrong code or cookie.
	 * @throws ResortError `rate_limited`
	 */
	async #count(source: Visit["source"]): Promise<void> {
		const { admitted, resetSeconds } = await this.#wrong.admit(this.#keysOf(source), this.#context.clock());
		if (admitted) return;
		throw new ResortError("rate_limited", "Too many wrong codes or sessions from this network", {
			retryAfterSeconds: resetSeconds,
			hint: `Try again in ${Math.ceil((resetSeconds * 1_000) / MINUTE_MS)} minutes.`,
		});
	}

	#keysOf({ address }: Visit["source"]) {
		return networkLimits(address(), MAX_WRONG);
	}

	/**
	 * Answers a request without a session. The answer explains how to get one, and does not show whether the
	 * path exists.
	 * @param ended the session that the request claims, but that is not open; null if it claims none
	 */
	#outside({ request, path }: Visit, ended: ClaimedSession | null = null): Answer {
		return this.#page({
			title: "For the host",
			status: path === "" && isRead(request) ? 200 : 401,
			headers: ended === null ? {} : { "set-cookie": cookieOf({ ...ended, token: "" }) },
			main: outsideMain(ended === null ? null : "The session has ended."),
		});
	}

	async #inside({ request, path, query }: Visit, session: ClaimedSession): Promise<Answer> {
		if (isRead(request)) {
			const page = path === "" ? await this.own.overview() : await listPage(this.#context, path, query);
			if (page === null) throw notFound();
			return this.#page({ ...page, current: path });
		}
		if (request.method !== "POST") throw notFound();
		if (path === "/leave") {
			await this.#context.store.write(() => useToken(this.#context, { kind: "session" }, session.token));
			return this.#home({ "set-cookie": cookieOf({ ...session, token: "" }) });
		}
		if (path !== "/change") throw notFound();
		const form = await readForm(request, this.transport);
		const page = await this.#change({ from: this.#refererOf(request), ...form }, session.token);
		return this.#page({ ...page, current: path });
	}

	/** Returns the path below /admin, with the query, of the page that contained the form; empty if unknown. */
	#refererOf({ headers }: Request): string {
		const root = prefixOf(this.#context.baseUrl) + ADMIN;
		const { pathname = "", search = "" } = URL.parse(headers.get("referer") ?? "") ?? {};
		return pathname.startsWith(root) ? pathname.slice(root.length) + search : "";
	}

	/** Asks the host to confirm a change, or makes the change if the form contains the confirmation. */
	async #change({ confirmation = "", ...sent }: Fields, session: string): Promise<HostPage> {
		const context = this.#context;
		const change = readChange(context, sent);
		const target = await targetOf(context, change);
		const purposeOf = ({ name, fields }: Change) =>
			({ kind: "confirmation", subject: JSON.stringify([session, name, fields]) }) as const;
		if (confirmation === "") {
			const choices = await context.store.write(function* () {
				const made = new Map<Change, string>();
				for (const one of choicesOf(context, change, target)) {
					made.set(one, yield* createToken(context, purposeOf(one)));
				}
				return made;
			});
			return { title: "Are you sure?", main: confirmMain(change, target, choices) };
		}
		if (!(await context.store.write(() => useToken(context, purposeOf(change), confirmation)))) {
			throw invalid("This was confirmed before, or it was asked more than 10 minutes ago", {
				hint: "Nothing was changed now. The history shows what has been done.",
			});
		}
		return { title: "Done", main: doneMain(change, target, await makeChange(context, change)) };
	}

	/** Redirects to the first page. */
	#home(headers: Answer["headers"]): Answer {
		const location = prefixOf(this.#context.baseUrl) + ADMIN;
		return textAnswer(303, "", { location, ...headers });
	}

	#page({ status = 200, headers, ...page }: PageAnswer): Answer {
		return textAnswer(status, writeHostPage(this.transport.pipeline.context, page), headers);
	}

	/** @param visit has a `path` only if a session is open */
	#failed(error: unknown, { source, path }: Pick<Visit, "source"> & Partial<Visit>): Answer {
		// The message begins with the name of a command-line flag. Forms have fields instead, so `--` is removed.
		const known = error instanceof UsageError ? invalid(error.message.replace(/^--/, "")) : error;
		const { status, headers, failure } = this.transport.pipeline.failures.of(known, source.record);
		return this.#page({
			title: "This did not work",
			status,
			headers,
			current: path,
			main: failedMain(failure?.body ?? {}),
		});
	}
}

function notFound(): ResortError {
	return new ResortError("not_found", "There is nothing here");
}
