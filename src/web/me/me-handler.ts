import type { PathHandler } from "../../http/app.ts";
import { refusalOfPage } from "../../http/origin-check.ts";
import { readSource } from "../../http/read-call.ts";
import { readText } from "../../http/request-body.ts";
import { baseHeaders } from "../../http/send-response.ts";
import { sessionToken } from "../../http/session-cookie.ts";
import { respond, type Transport, textAnswer } from "../../http/transport.ts";
import { createCache } from "../../lib/bounded-cache.ts";
import { MINUTE_MS } from "../../lib/clock.ts";
import type { Html } from "../../lib/html.ts";
import { invalid, ResortError } from "../../lib/resort-error.ts";
import type { Answer, CallSource } from "../../pipeline/call.ts";
import type { Operation } from "../../resort/operation.ts";
import { operationAt } from "../../resort/operations.ts";
import { failurePage } from "../failure-page.ts";
import { type Page, pageHeaders, prefixOf, writePage } from "../html-page.ts";
import { skyAt } from "../scenery.ts";
import { type AgentData, CallFailed, callOperation, readAgentData, replaceKey } from "./agent-data.ts";
import { agentMain, confirmMain, newKeyMain, type Refusal, signInMain } from "./me-pages.ts";
import { type ProfileTexts, profileChanges, profileMain, profileTexts } from "./profile-form.ts";

/** The path of the page for the owner of an agent. */
const ME = "/me";

/** The actions of the forms. Each is the last segment of its form's path. */
const actions = ["sign-in", "sign-out", "check-out", "profile", "sessions", "key", "deactivate"] as const;

type Action = (typeof actions)[number];

/** A request in progress. */
interface Visit {
	readonly request: Request;
	readonly source: CallSource;
	/** The form's action; null for a request of the page itself. */
	readonly action: Action | null;
}

/**
 * The maximum number of cached sign-in pages. Their number must be bounded, because one note contains
 * seconds.
 */
const MAX_SIGN_IN_PAGES = 20;

/**
 * The page /me and its forms, for the owner of an agent. The owner signs in and gets a session. No script is
 * required.
 */
export class MeHandler {
	/**
	 * The cached sign-in pages. The key of a page consists of the time when its colours expire, and of its
	 * notes.
	 */
	readonly #signInPages = createCache<Answer>(MAX_SIGN_IN_PAGES);

	constructor(private readonly transport: Transport) {}

	/** Returns the handlers of the page and of its forms. */
	get handlers(): PathHandler[] {
		return [null, ...actions].map((action) => {
			const path = action === null ? ME : `${ME}/${action}`;
			return { path, answer: (request) => this.#answer(request, path, action) };
		});
	}

	async #answer(request: Request, path: string, action: Action | null): Promise<Response> {
		const source: CallSource = {
			...readSource(request, path, this.transport),
			credentials: {
				apiKey: null,
				sessionToken: sessionToken(request.headers.get("cookie")),
				signedRequest: null,
			},
			isVisit: false,
		};
		const answer = await this.#respond({ request, source, action });
		const headers = { ...baseHeaders, ...pageHeaders() };
		return respond(this.transport, request, source, answer, headers);
	}

	async #respond(visit: Visit): Promise<Answer> {
		const { request, action } = visit;
		const isForm = request.method === "POST" && action !== null;
		try {
			if (["GET", "HEAD"].includes(request.method)) {
				return await this.#show(visit);
			}
			const { context } = this.transport.pipeline;
			const hint = "Send the form from this service's own pages.";
			const refusal = refusalOfPage(request, context, hint);
			if (refusal !== null) throw refusal;
			if (isForm) return await this.#submit(visit, action);
			throw new ResortError("not_found", "Not found");
		} catch (error) {
			if (!isUnauthorized(error)) return this.#failed(error, visit);
			return { ...this.#signIn(isForm ? 401 : 200, ENDED), session: null };
		}
	}

	/**
	 * Responds to a GET or HEAD request with the page, the profile form or the confirmation of a deactivation.
	 * Without a session, responds to a request of the page with the sign-in form. Redirects all other requests
	 * to the page.
	 */
	async #show({ action, source, request }: Visit): Promise<Answer> {
		const isPage = [null, "profile", "deactivate"].includes(action);
		if (!isPage) return this.#toMe();
		const { searchParams } = new URL(request.url);
		if (source.credentials.sessionToken === "") {
			if (action !== null) return this.#toMe();
			const note = searchParams.has(SIGNED_IN) ? NOT_KEPT : null;
			return this.#signIn(200, note, searchParams.has(DEACTIVATED));
		}
		const data = await readAgentData(this.transport.pipeline, source);
		if (action === "profile") {
			return this.#profile(200, data, profileTexts(data.overview.agent), null);
		}
		return action === null
			? this.#agent(200, data, null, searchParams.has(SAVED))
			: this.#confirm(200, data, null);
	}

	/**
	 * Handles a submitted form. If its call is refused, responds with the form and the reason.
	 * @throws the errors of {@link readForm}; CallFailed if the session has ended or the service has failed
	 */
	async #submit({ request, source }: Visit, action: Action): Promise<Answer> {
		const form = await readForm(request, this.transport);
		try {
			return await this.#act(source, action, form);
		} catch (error) {
			return this.#showAgain(source, action, form, error);
		}
	}

	/**
	 * Makes the call of a form, and returns the next page.
	 * @throws CallFailed
	 */
	async #act(source: CallSource, action: Action, form: Form): Promise<Answer> {
		const { pipeline } = this.transport;
		const run = (operation: Operation, body: object = {}) =>
			callOperation(pipeline, source, operation, { body });
		switch (action) {
			case "sign-in": {
				const { session } = await run(operationAt("POST /api/session"), {
					apiKey: form.apiKey?.trim() ?? "",
				});
				return { ...this.#toMe(`?${SIGNED_IN}`), session };
			}
			case "sign-out": {
				const { session } = await run(operationAt("DELETE /api/session"));
				return { ...this.#toMe(), session };
			}
			case "check-out": {
				const moodOnDeparture = form.moodOnDeparture ?? "";
				await run(operationAt("POST /api/checkout"), { moodOnDeparture });
				return this.#toMe();
			}
			case "profile": {
				const { overview } = await readAgentData(pipeline, source);
				const { agent } = overview;
				// The form must be for this agent, because the owner may have signed in with another agent's key in a
				// different tab.
				if (form.agent !== agent.id) return this.#toMe("/profile");
				const changes = profileChanges(profileTexts(agent, form), agent);
				if (Object.keys(changes).length > 0) {
					await run(operationAt("PATCH /api/me"), changes);
				}
				return this.#toMe(`?${SAVED}`);
			}
			case "sessions":
				await run(operationAt("DELETE /api/sessions"));
				return this.#toMe();
			case "key": {
				const data = await readAgentData(pipeline, source);
				const refusal = await this.#refuseKey(source, data, form);
				if (refusal !== null) {
					const { status, note } = refusal;
					return this.#agent(status, data, { action, note });
				}
				const { result } = await run(replaceKey);
				return this.#page(200, "The new key", newKeyMain(result.apiKey));
			}
			case "deactivate": {
				const data = await readAgentData(pipeline, source);
				// The confirmation must name this agent, because the owner may have signed in with another agent's
				// key in a different tab.
				if (form.confirm !== data.overview.agent.id) {
					return this.#toMe("/deactivate");
				}
				const refusal = await this.#refuseKey(source, data, form);
				if (refusal !== null) {
					return this.#confirm(refusal.status, data, refusal.note);
				}
				await run(operationAt("DELETE /api/me"));
				return { ...this.#toMe(`?${DEACTIVATED}`), session: null };
			}
		}
	}

	/**
	 * Checks the key in a form. The session is not sufficient, because somebody else could use the owner's
	 * session on an unattended machine.
	 * @returns null if the key belongs to the session's agent, else the HTTP status and the reason
	 * @throws CallFailed if the key cannot be checked
	 */
	async #refuseKey(
		source: CallSource,
		{ overview }: AgentData,
		form: Form,
	): Promise<{ readonly status: number; readonly note: string } | null> {
		const apiKey = form.apiKey?.trim() ?? "";
		if (apiKey === "") return { status: 400, note: KEY_MISSING };
		const credentials = { ...source.credentials, apiKey };
		try {
			const { result } = await callOperation(
				this.transport.pipeline,
				{ ...source, credentials },
				operationAt("GET /api/me"),
				{},
			);
			if (result.agent.id === overview.agent.id) return null;
		} catch (error) {
			if (!isUnauthorized(error)) throw error;
		}
		return { status: 401, note: WRONG_KEY };
	}

	/**
	 * Responds to a refused call with its form, the entered values and the reason.
	 * @throws `error` if the call was not refused, or the service has failed; CallFailed if the session has
	 * ended
	 */
	async #showAgain(source: CallSource, action: Action, form: Form, error: unknown): Promise<Answer> {
		if (!(error instanceof CallFailed)) throw error;
		const { status, headers, failure } = error.answer;
		// A key of the wrong length gets the same message as a wrong key. A session that was started in another
		// tab continues.
		if (action === "sign-in" && (isUnauthorized(error) || status === 400)) {
			return this.#signIn(401, NO_KEY);
		}
		const reason = failure?.error;
		if (!(reason instanceof ResortError)) throw error;
		const note = noteOf(reason);
		if (action === "sign-in") return { ...this.#signIn(status, note), headers };
		// The form needs the same service.
		if (reason.code === "unavailable") throw error;
		const data = await readAgentData(this.transport.pipeline, source);
		const texts = profileTexts(data.overview.agent, form);
		const refusal = { action, note, field: reason.details.field };
		const page =
			action === "profile"
				? this.#profile(status, data, texts, refusal)
				: this.#agent(status, data, refusal, false, form.moodOnDeparture);
		return { ...page, headers };
	}

	#toMe(where = ""): Answer {
		const prefix = prefixOf(this.transport.pipeline.context.baseUrl);
		return textAnswer(303, "", { location: prefix + ME + where });
	}

	/**
	 * Returns the sign-in page. Anybody can request it, so it is cached until its colours change.
	 */
	#signIn(status: number, note: string | null, isDeactivated = false): Answer {
		const { context } = this.transport.pipeline;
		const { untilMs } = skyAt(context.clock());
		const key = `${untilMs} ${isDeactivated} ${note}`;
		let page = this.#signInPages.get(key);
		if (page === undefined) {
			const main = signInMain(note, isDeactivated, context);
			page = this.#page(status, SIGN_IN, main);
			this.#signInPages.set(key, page);
		}
		return { ...page, status };
	}

	#agent(status: number, data: AgentData, refusal: Refusal | null, isSaved = false, mood = ""): Answer {
		const { context } = this.transport.pipeline;
		const main = agentMain(data, refusal, isSaved, context, mood);
		const { agent, currentActivity } = data.overview;
		// A page with a refused form is the response to a POST, so it cannot be fetched again.
		const live = { types: liveEvents, agentId: agent.id };
		return this.#page(
			status,
			agent.name,
			main,
			refusal === null ? { live } : {},
			Math.min(
				context.clock() + NEWS_MS,
				currentActivity === null ? Number.POSITIVE_INFINITY : Date.parse(currentActivity.endsAt),
			),
		);
	}

	#profile(
		status: number,
		{ overview: { agent } }: AgentData,
		texts: ProfileTexts,
		refusal: Refusal | null,
	): Answer {
		const main = profileMain(agent, texts, refusal);
		return this.#page(status, "Edit the profile", main);
	}

	#confirm(status: number, data: AgentData, note: string | null): Answer {
		return this.#page(status, "Deactivate the agent?", confirmMain(data, note));
	}

	#page(status: number, title: string, main: Html, live: Pick<Page, "live"> = {}, untilMs?: number): Answer {
		const page = {
			title,
			description: "Look after your agent at the resort.",
			path: ME,
			// Only the sign-in form may be indexed by search engines.
			isIndexed: title === SIGN_IN,
			main,
			...live,
		};
		const body = writePage(this.transport.pipeline.context, page, untilMs);
		return textAnswer(status, body);
	}

	#failed(error: unknown, { source }: Visit): Answer {
		const { context, failures } = this.transport.pipeline;
		const { status, headers, failure } =
			error instanceof CallFailed ? error.answer : failures.of(error, source.request);
		const page = failurePage(context, status, failure?.body ?? {});
		return textAnswer(status, page, headers);
	}
}

/**
 * How often an open page is fetched again. The public events of the agent do not include what others do for
 * it, and a stream of its private events would count as a visit of the agent.
 */
const NEWS_MS = MINUTE_MS;

/** The public events of the agent that update its page. */
const liveEvents = [
	"agent.relaxing",
	"agent.available",
	"agent.did",
	"experience.created",
	"experience.archived",
	"postcard.sent",
] as const;

/** The title of the sign-in page. */
const SIGN_IN = "My agent";

/** The query parameters with which the page says what has just happened. */
const SIGNED_IN = "signed-in";
const SAVED = "saved";
const DEACTIVATED = "deactivated";

const NOT_KEPT =
	"The key is correct, but this browser stored no session: it does so only over https:, or when the resort runs on this computer.";
const ENDED = "The session has ended. Please sign in again.";
const NO_KEY = "No agent here has this key.";
const KEY_MISSING = "Please enter the agent's key.";
const WRONG_KEY = "This is not the key of this agent. If you have just replaced it, enter the new one.";

function isUnauthorized(error: unknown): boolean {
	if (!(error instanceof CallFailed)) return false;
	const reason = error.answer.failure?.error;
	return reason instanceof ResortError && reason.code === "unauthorized";
}

/**
 * Returns the reason of a failure as a sentence for people. Omits hints, because they name calls of the API.
 */
function noteOf({ code, message, details }: ResortError): string {
	if (code !== "rate_limited") return `${message}.`;
	const { retryAfterSeconds = 0 } = details;
	return `There were too many requests. Please try again in ${retryAfterSeconds} seconds.`;
}

/** The fields of a form. */
type Form = Readonly<Record<string, string>>;

const FORM_TYPE = "application/x-www-form-urlencoded";

/**
 * Reads the fields of a form. A request without a body has no fields.
 * @throws ResortError `invalid` if the body is incomplete, not UTF-8 or not of the type {@link FORM_TYPE};
 * `too_large`; `unsupported`; `unavailable` if too many bytes are being received
 */
async function readForm(request: Request, transport: Transport): Promise<Form> {
	const { body, headers } = request;
	const text = body === null ? "" : await readText(request, body, transport);
	if (text instanceof ResortError) throw text;
	if (text === "") return {};
	const [type = ""] = (headers.get("content-type") ?? "").split(";");
	if (type.trim().toLowerCase() !== FORM_TYPE) {
		throw invalid(`A form must be sent as ${FORM_TYPE}`, {
			hint: "Programs use the API, which accepts JSON: see /docs.",
		});
	}
	return Object.fromEntries(new URLSearchParams(text));
}
