import type { PathHandler } from "../../http/app.ts";
import { observe } from "../../http/completed-request.ts";
import { isForeign } from "../../http/origin-check.ts";
import { readSource } from "../../http/read-call.ts";
import {
	baseHeaders,
	dropConnection,
	sendResponse,
} from "../../http/send-response.ts";
import { sessionToken } from "../../http/session-cookie.ts";
import type { Transport } from "../../http/transport.ts";
import type { Html } from "../../lib/html.ts";
import { ResortError } from "../../lib/resort-error.ts";
import type { Answer, CallSource } from "../../pipeline/call.ts";
import { ResponseBody } from "../../pipeline/response-body.ts";
import type { Operation } from "../../resort/operation.ts";
import { failurePage } from "../failure-page.ts";
import { pageHeaders, prefixOf, writePage } from "../html-page.ts";
import { CallFailed, callOperation } from "./call-operation.ts";
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

/** The page for the person behind an agent. */
const ME = "/me";

/** The forms; each is the last segment of its path. */
const actions = [
	"sign-in",
	"sign-out",
	"check-out",
	"key",
	"deactivate",
] as const;

type Action = (typeof actions)[number];

/** A request in progress. */
interface Visit {
	readonly request: Request;
	readonly source: CallSource;
	/** Null for the page itself. */
	readonly action: Action | null;
}

/** The pages and forms of the person behind an agent, who has a session and needs no script. */
export class MeHandler {
	readonly #transport: Transport;

	constructor(transport: Transport) {
		this.#transport = transport;
	}

	/** The handlers of the page and of its forms. */
	get handlers(): PathHandler[] {
		return [null, ...actions].map((action) => {
			const path = action === null ? ME : `${ME}/${action}`;
			return { path, answer: (request) => this.#answer(request, path, action) };
		});
	}

	async #answer(
		request: Request,
		path: string,
		action: Action | null,
	): Promise<Response> {
		const startedAt = performance.now();
		const { createLargeResponse, observer } = this.#transport.server;
		const source: CallSource = {
			...readSource(request, path, this.#transport),
			credentials: {
				apiKey: null,
				sessionToken: sessionToken(request.headers.get("cookie")),
				signedRequest: null,
			},
			isVisit: false,
		};
		const { record, connection, request: info } = source;
		const answer = await this.#respond({ request, source, action });
		const response = record.fault?.drop
			? await dropConnection(request, connection, info.requestId)
			: await sendResponse(
					request,
					answer,
					{ ...baseHeaders, ...pageHeaders() },
					info.requestId,
					createLargeResponse,
				);
		if (observer !== null) {
			observe(observer, request, response, info, startedAt, record);
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

	/** The page itself, or the confirmation of a deactivation. */
	async #show({ action, source, request }: Visit): Promise<Answer> {
		if (action !== null && action !== "deactivate") return this.#toMe();
		if (source.credentials.sessionToken === "") {
			if (action !== null) return this.#toMe();
			const isJustSignedIn = new URL(request.url).searchParams.has("signed-in");
			return this.#signIn(200, isJustSignedIn ? NOT_KEPT : null);
		}
		try {
			const own = await readOwn(this.#transport.pipeline, source);
			return action === null
				? this.#own(200, own, null)
				: this.#page(200, "Deactivate the agent?", confirmMain(own, null));
		} catch (error) {
			if (!isUnauthorized(error)) throw error;
			return { ...this.#signIn(200, ENDED), session: null };
		}
	}

	/** Handles a form. */
	async #act(visit: Visit, action: Action): Promise<Answer> {
		const { request, source } = visit;
		const { baseUrl } = this.#transport.pipeline.context;
		if (isForeign(request, new URL(baseUrl).origin)) {
			throw new ResortError("forbidden", "Cross-origin request refused", {
				hint: "Send the form from this service's own pages.",
			});
		}
		const form = await readForm(request);
		try {
			return await this.#perform(source, action, form);
		} catch (error) {
			const failed = this.#failureOf(error, visit);
			if (action === "sign-in") {
				// A key of another length is a wrong key too. A session of another tab goes on.
				if (isUnauthorized(error) || failed.status === 400) {
					return this.#signIn(401, NO_KEY);
				}
			} else if (isUnauthorized(error)) throw error;
			const reason = reasonOf(error);
			return reason instanceof ResortError
				? this.#refused(source, action, reason, failed)
				: this.#failed(failed);
		}
	}

	async #perform(
		source: CallSource,
		action: Action,
		form: Form,
	): Promise<Answer> {
		const { pipeline } = this.#transport;
		const run = (operation: Operation, body: object = {}) =>
			callOperation(pipeline, source, operation, { body });
		switch (action) {
			case "sign-in": {
				const { session } = await run(operationAt("POST /api/session"), {
					apiKey: form.apiKey?.trim() ?? "",
				});
				return { ...this.#toMe("?signed-in"), session };
			}
			case "sign-out": {
				const { session } = await run(operationAt("DELETE /api/session"));
				return { ...this.#toMe(), session };
			}
			case "check-out":
				await run(operationAt("POST /api/checkout"));
				return this.#toMe();
			case "key": {
				const { result } = await run(replaceKey);
				return this.#page(200, "The new key", newKeyMain(result.apiKey));
			}
			case "deactivate": {
				const { overview } = await readOwn(pipeline, source);
				// The second step, also for another agent than the one that the first was about.
				if (form.confirm !== overview.agent.id) {
					return this.#toMe("/deactivate");
				}
				await run(operationAt("DELETE /api/me"));
				return { ...this.#toMe(), session: null };
			}
		}
	}

	/** The page again, with the reason why a form was refused. */
	async #refused(
		source: CallSource,
		action: Action,
		error: ResortError,
		{ status, headers }: Answer,
	): Promise<Answer> {
		const note = noteOf(error);
		if (action === "sign-in") return { ...this.#signIn(status, note), headers };
		const own = await readOwn(this.#transport.pipeline, source);
		return { ...this.#own(status, own, note), headers };
	}

	#toMe(where = ""): Answer {
		const prefix = prefixOf(this.#transport.pipeline.context.baseUrl);
		return {
			status: 303,
			headers: { location: prefix + ME + where },
			body: null,
			etag: null,
			failure: null,
		};
	}

	#signIn(status: number, note: Note): Answer {
		return this.#page(status, SIGN_IN, signInMain(note, this.#place()));
	}

	#own(status: number, own: Own, note: Note): Answer {
		const { name } = own.overview.agent;
		return this.#page(status, name, ownMain(own, note, this.#place()));
	}

	#page(status: number, title: string, main: Html): Answer {
		const { clock, baseUrl } = this.#transport.pipeline.context;
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
		return pageAnswer(status, body);
	}

	#place(): Place {
		const { clock, provider } = this.#transport.pipeline.context;
		return { nowMs: clock(), provider: provider?.url ?? null };
	}

	#failureOf(error: unknown, { source }: Visit): Answer {
		if (error instanceof CallFailed) return error.answer;
		return this.#transport.pipeline.failures.of(error, source.request);
	}

	#failed({ status, headers, failure }: Answer): Answer {
		const { context } = this.#transport.pipeline;
		const page = failurePage(context, status, failure?.body ?? {});
		return pageAnswer(status, page, headers);
	}
}

/** The title of the page with the form for the key. */
const SIGN_IN = "My agent";

const NOT_KEPT =
	"The key is right, but this browser kept no session: it does so over https: alone, or on the machine itself.";
const ENDED = "The session has ended. Please sign in again.";
const NO_KEY = "No agent here has this key.";

function pageAnswer(
	status: number,
	page: string,
	headers: Answer["headers"] = {},
): Answer {
	const body = ResponseBody.of(page);
	return { status, headers, body, etag: null, failure: null };
}

/** The error of a failed call. */
function reasonOf(error: unknown): unknown {
	return error instanceof CallFailed ? error.answer.failure?.error : error;
}

function isUnauthorized(error: unknown): boolean {
	const reason = reasonOf(error);
	return reason instanceof ResortError && reason.code === "unauthorized";
}

/** Why a form was refused, for people: hints name calls of the API. */
function noteOf({ code, message, details }: ResortError): string {
	if (code !== "rate_limited") return `${message}.`;
	const { retryAfterSeconds = 0 } = details;
	return `That was asked too often. Please try again in ${retryAfterSeconds} seconds.`;
}
