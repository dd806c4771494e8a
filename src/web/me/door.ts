import type { Answering } from "../../http/answering.ts";
import { type HttpOptions, senderOf } from "../../http/call.ts";
import { sessionCookie, sessionToken } from "../../http/cookie.ts";
import {
	type Observer,
	observe,
	REQUEST_ID,
	requestIdFor,
} from "../../http/exchange.ts";
import type { FailureAnswer } from "../../http/failure.ts";
import { dropConnection } from "../../http/faults.ts";
import { headersOfAll } from "../../http/headers.ts";
import { isForeign } from "../../http/origin.ts";
import { type Deliver, sendOnce } from "../../http/send.ts";
import {
	type Meant,
	nothingFound,
	type Sender,
	type Used,
	use,
} from "../../http/use.ts";
import type { Html } from "../../lib/html.ts";
import { ResortError } from "../../lib/resort-error.ts";
import { failurePage } from "../failure-page.ts";
import { pageHeaders, prefixOf, writePage } from "../html-page.ts";
import { type Form, readForm } from "./form.ts";
import { type Own, operationAt, readOwn } from "./own.ts";
import { replaceKey } from "./replace-key.ts";
import {
	confirmMain,
	type Note,
	newKeyMain,
	ownMain,
	type Place,
	signInMain,
} from "./view.ts";

/** What the door works with. */
export interface MeParts {
	readonly answering: Answering;
	readonly options: HttpOptions;
	readonly deliver: Deliver;
	/** Null when nobody watches. */
	readonly observer: Observer | null;
}

/** Where the person behind an agent sees to it. */
const ME = "/me";

/** What a form does; each is the last part of its path. */
const actions = [
	"sign-in",
	"sign-out",
	"check-out",
	"key",
	"deactivate",
] as const;

type Action = (typeof actions)[number];

/** The paths of the door. */
export const mePaths: readonly string[] = [
	ME,
	...actions.map((action) => `${ME}/${action}`),
];

/** What a page or a redirection is sent with, beside what all have. */
interface Answer {
	readonly status: number;
	readonly body?: string;
	readonly location?: string;
	readonly headers?: Readonly<Record<string, string>>;
	/** As in {@link Used}. */
	readonly session?: Used["session"];
}

/** A request as the door works on it. */
interface Visit {
	readonly request: Request;
	readonly sender: Sender;
	/** Null for the page itself. */
	readonly action: Action | null;
	readonly requestId: string;
}

/** The pages and forms of the person behind an agent, who has a session and needs no script. */
export class MeDoor {
	readonly #parts: MeParts;

	constructor(parts: MeParts) {
		this.#parts = parts;
	}

	/** Answers a request to one of the paths; it never fails. */
	async answer(request: Request): Promise<Response> {
		const startedAt = performance.now();
		const { options, observer } = this.#parts;
		const requestId = requestIdFor(request);
		const { pathname } = new URL(request.url);
		const sender: Sender = {
			...senderOf(request, options),
			presented: {
				apiKey: null,
				token: sessionToken(request.headers.get("cookie")),
				signed: null,
			},
			isVisit: false,
			found: nothingFound(),
		};
		const action = actions.find((one) => pathname === `${ME}/${one}`) ?? null;
		const visit = { request, sender, action, requestId };
		const answer = await this.#respond(visit);
		const { found, connection } = sender;
		const response = found.fault?.drop
			? await dropConnection(request, connection)
			: await this.#send(visit, answer);
		if (observer !== null) {
			const place = { path: pathname, id: found.operation?.id };
			observe(observer, request, response, place, startedAt, found);
		}
		return response;
	}

	async #respond(visit: Visit): Promise<Answer> {
		try {
			return await this.#showOrAct(visit);
		} catch (error) {
			return isUnauthorized(error)
				? { ...this.#signIn(401, ENDED), session: null }
				: this.#failed(this.#failureOf(error, visit));
		}
	}

	async #send(
		{ request, requestId }: Visit,
		{ status, body, location, headers, session }: Answer,
	): Promise<Response> {
		const { answering, deliver } = this.#parts;
		const prefix = prefixOf(answering.access.context.baseUrl);
		const fields = {
			...headersOfAll,
			...pageHeaders(),
			[REQUEST_ID]: requestId,
			...headers,
			...(location !== undefined && { location: prefix + location }),
			...(session !== undefined && { "set-cookie": sessionCookie(session) }),
		};
		const init = { status, headers: fields };
		return body === undefined
			? new Response(null, init)
			: sendOnce(request, body, init, deliver);
	}

	#showOrAct(visit: Visit): Promise<Answer> {
		const { request, action } = visit;
		switch (request.method) {
			case "GET":
			case "HEAD":
				return this.#show(visit);
			case "POST":
				if (action !== null) return this.#act(visit, action);
		}
		throw new ResortError("not_found", "Not found");
	}

	/** The page itself, or the question before a deactivation. */
	async #show(visit: Visit): Promise<Answer> {
		const { action, sender, request } = visit;
		if (action !== null && action !== "deactivate") return toMe();
		const { token } = sender.presented;
		if (token === "") {
			if (action !== null) return toMe();
			const isJustSignedIn = new URL(request.url).searchParams.has("signed-in");
			return this.#signIn(200, isJustSignedIn ? NOT_KEPT : null);
		}
		try {
			const own = await readOwn(this.#parts.answering, sender);
			return action === null
				? this.#own(200, own, null)
				: this.#page(200, "Deactivate the agent?", confirmMain(own, null));
		} catch (error) {
			if (!isUnauthorized(error)) throw error;
			return { ...this.#signIn(200, ENDED), session: null };
		}
	}

	/** Does what a form asks for. */
	async #act(visit: Visit, action: Action): Promise<Answer> {
		const { request, sender } = visit;
		const { answering } = this.#parts;
		const { baseUrl } = answering.access.context;
		if (isForeign(request, new URL(baseUrl).origin)) {
			throw new ResortError("forbidden", "Cross-origin request refused", {
				hint: "Send the form from this service's own pages.",
			});
		}
		const form = await readForm(request);
		try {
			return await this.#perform(sender, action, form);
		} catch (error) {
			const failed = this.#failureOf(error, visit);
			if (action === "sign-in") {
				// A key of another length is a wrong key too. A session of another tab goes on.
				if (isUnauthorized(error) || failed.status === 400) {
					return this.#signIn(401, NO_KEY);
				}
			} else if (isUnauthorized(error)) throw error;
			if (!(error instanceof ResortError)) return this.#failed(failed);
			return this.#refused(sender, action, error, failed);
		}
	}

	async #perform(sender: Sender, action: Action, form: Form): Promise<Answer> {
		const { answering } = this.#parts;
		const run = (operation: Meant["operation"], body: object = {}) =>
			use(answering, sender, { operation, params: {}, query: {}, body });
		switch (action) {
			case "sign-in": {
				const { apiKey = "" } = form;
				const { session } = await run(operationAt("POST /api/session"), {
					apiKey: apiKey.trim(),
				});
				return { ...toMe("?signed-in"), session };
			}
			case "sign-out": {
				const { session } = await run(operationAt("DELETE /api/session"));
				return { ...toMe(), session };
			}
			case "check-out":
				await run(operationAt("POST /api/checkout"));
				return toMe();
			case "key": {
				const { text } = await run(replaceKey);
				const { apiKey } = JSON.parse(text);
				return this.#page(200, "The new key", newKeyMain(apiKey));
			}
			case "deactivate": {
				const { overview } = await readOwn(answering, sender);
				// The second step, also for another agent than the one that the first was about.
				if (form.confirm !== overview.agent.id) return toMe("/deactivate");
				await run(operationAt("DELETE /api/me"));
				return { ...toMe(), session: null };
			}
		}
	}

	/** The page again, with why a form was refused. */
	async #refused(
		sender: Sender,
		action: Action,
		error: ResortError,
		{ status, headers }: FailureAnswer,
	): Promise<Answer> {
		const note = noteOf(error);
		if (action === "sign-in") return { ...this.#signIn(status, note), headers };
		const own = await readOwn(this.#parts.answering, sender);
		return { ...this.#own(status, own, note), headers };
	}

	#signIn(status: number, note: Note): Answer {
		return this.#page(status, SIGN_IN, signInMain(note, this.#place()));
	}

	#own(status: number, own: Own, note: Note): Answer {
		const { name } = own.overview.agent;
		return this.#page(status, name, ownMain(own, note, this.#place()));
	}

	#page(status: number, title: string, main: Html): Answer {
		const { clock, baseUrl } = this.#parts.answering.access.context;
		const body = writePage({
			baseUrl,
			nowMs: clock(),
			title,
			description: "Look after your agent at the resort.",
			path: ME,
			// Only the sign-in form may be found.
			isIndexed: title === SIGN_IN,
			main,
		});
		return { status, body };
	}

	#place(): Place {
		const { clock, provider } = this.#parts.answering.access.context;
		return { nowMs: clock(), provider: provider?.url ?? null };
	}

	#failureOf(error: unknown, { request, requestId }: Visit): FailureAnswer {
		const { method } = request;
		const place = { method, route: ME, requestId };
		return this.#parts.answering.failures(error, place);
	}

	#failed({ status, headers, body }: FailureAnswer): Answer {
		const { context } = this.#parts.answering.access;
		return { status, headers, body: failurePage(context, status, body) };
	}
}

/** The title of the page with the form for the key. */
const SIGN_IN = "My agent";

const NOT_KEPT =
	"The key is right, but this browser kept no session: it does so over https: alone, or on the machine itself.";
const ENDED = "The session has ended. Please sign in again.";
const NO_KEY = "No agent here has this key.";

function toMe(where = ""): Answer {
	return { status: 303, location: ME + where };
}

function isUnauthorized(error: unknown): error is ResortError {
	return error instanceof ResortError && error.code === "unauthorized";
}

/** Why a form was refused, for people: hints name calls of the API. */
function noteOf({ code, message, details }: ResortError): string {
	if (code !== "rate_limited") return `${message}.`;
	const { retryAfterSeconds = 0 } = details;
	return `That was asked too often. Please try again in ${retryAfterSeconds} seconds.`;
}
