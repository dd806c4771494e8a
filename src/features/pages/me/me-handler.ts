import type { Answer, CallSource } from "../../../core/calls/call.ts";
import { WrittenBody } from "../../../core/calls/written-body.ts";
import type { PathHandler } from "../../../core/http/app.ts";
import { refusalOfPage } from "../../../core/http/origin-check.ts";
import { readSource } from "../../../core/http/read-call.ts";
import { readText } from "../../../core/http/request-body.ts";
import { baseHeaders } from "../../../core/http/send-response.ts";
import { sessionToken } from "../../../core/http/session-cookie.ts";
import { respond, type Transport, textAnswer } from "../../../core/http/transport.ts";
import { createCache } from "../../../core/lib/bounded-cache.ts";
import { MINUTE_MS } from "../../../core/lib/clock.ts";
import { invalid, ResortError } from "../../../core/lib/resort-error.ts";
import type { AgentProfile } from "../../../core/resort/agents/model.ts";
import { failurePage } from "../failure-page.ts";
import { type Page, pageHeaders, prefixOf, writePage } from "../html-page.ts";
import { publicEvents } from "../pages/public-page.ts";
import { skyAt } from "../scenery.ts";
import { CallFailed, Calls } from "./agent-data.ts";
import {
	bodyOf,
	DEACTIVATED,
	type FormName,
	forms,
	type Outcome,
	type Refusal,
	SAVED,
	SIGNED_IN,
	type Texts,
} from "./forms.ts";
import { agentMain, confirmMain, newKeyMain, profileMain, signInMain } from "./me-pages.ts";

/** The path of the page for the owner of an agent. */
const ME = "/me";

/** A request in progress. */
interface Visit {
	readonly request: Request;
	readonly calls: Calls;
	/** The form of the path; null for the path of the page itself. */
	readonly form: FormName | null;
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
		const names = [null, ...(Object.keys(forms) as FormName[])];
		return names.map((form) => {
			const path = form === null ? ME : `${ME}/${form}`;
			return { path, answer: (request) => this.#answer(request, path, form) };
		});
	}

	async #answer(request: Request, path: string, form: FormName | null): Promise<Response> {
		const source: CallSource = {
			...readSource(request, path, this.transport),
			credentials: {
				apiKey: null,
				sessionToken: sessionToken(request.headers.get("cookie")),
				signedRequest: null,
			},
			isVisit: false,
		};
		const calls = new Calls(this.transport.pipeline, source);
		const answer = await this.#respond({ request, calls, form });
		const headers = { ...baseHeaders, ...pageHeaders() };
		return respond(this.transport, request, { source, answer, base: headers });
	}

	async #respond(visit: Visit): Promise<Answer> {
		const { request, form } = visit;
		const isForm = request.method === "POST" && form !== null;
		try {
			if (["GET", "HEAD"].includes(request.method)) return await this.#show(visit);
			const hint = "Send the form from this service's own pages.";
			const refusal = refusalOfPage(request, this.transport.pipeline.context, hint);
			if (refusal !== null) throw refusal;
			if (isForm) return await this.#submit(visit, form);
			throw new ResortError("not_found", "Not found");
		} catch (error) {
			if (!isUnauthorized(error)) return this.#failed(error, visit);
			return { ...this.#signIn(refusalBy("sign-in", isForm ? 401 : 200, ENDED)), session: null };
		}
	}

	/**
	 * Responds to a GET or HEAD request with the page, the profile form or the confirmation of a deactivation.
	 * Without a session, responds to a request of the page with the sign-in form. Redirects all other requests
	 * to the page.
	 */
	async #show(visit: Visit): Promise<Answer> {
		const { form, calls, request } = visit;
		const { searchParams } = new URL(request.url);
		const isSignedOut = calls.source.credentials.sessionToken === "";
		if (isSignedOut && form === null) {
			const refusal = searchParams.has(SIGNED_IN) ? refusalBy("sign-in", 200, NOT_KEPT) : null;
			return this.#signIn(refusal, searchParams.has(DEACTIVATED));
		}
		const isPage = form === null || form === "profile" || form === "deactivate";
		if (isSignedOut || !isPage) return this.#toMe();
		return this.#formPage(visit, { isSaved: searchParams.has(SAVED) });
	}

	/**
	 * Handles a submitted form: makes its call, and returns the next page. If the form is refused, responds with
	 * the form, the entered texts and the reason.
	 * @throws the errors of {@link readForm}; CallFailed if the session has ended or the service has failed
	 */
	async #submit(visit: Visit, name: FormName): Promise<Answer> {
		const texts = await readForm(visit.request, this.transport);
		try {
			return await this.#act(visit.calls, name, texts);
		} catch (error) {
			const refusal = refusalOf(name, error);
			if (refusal === null) throw error;
			const page = await this.#formPage(visit, { refusal, texts });
			return { ...page, headers: refusal.headers ?? {} };
		}
	}

	/** @throws FormRefused if the key in the form is not the agent's; CallFailed */
	async #act(calls: Calls, name: FormName, texts: Texts): Promise<Answer> {
		const form = forms[name];
		const agent = form.namesAgent || form.asksKey ? await calls.readAgent() : null;
		if (form.namesAgent && texts.agent !== agent?.id) return this.#toMe(`/${name}`);
		if (form.asksKey) await requireKey(calls, agent, texts.apiKey?.trim() ?? "");
		const body = bodyOf(form, texts, agent ?? {});
		// A profile that was not changed is not saved.
		const isUnchanged = name === "profile" && Object.keys(body).length === 0;
		const { result, session } = isUnchanged ? {} : await calls.run<{ apiKey?: string }>(form.operation, body);
		if (name === "key")
			return this.#page(200, { title: "The new key", main: newKeyMain(result?.apiKey ?? "") });
		return { ...this.#toMe(form.next), session: name === "deactivate" ? null : session };
	}

	/** @param where the query or the path below /me */
	#toMe(where = ""): Answer {
		const prefix = prefixOf(this.transport.pipeline.context.baseUrl);
		return textAnswer(303, "", { location: `${prefix}${ME}${where}` });
	}

	/** Returns the sign-in page. Anybody can request it, so it is cached until its colours change. */
	#signIn(refusal: Refusal | null, isDeactivated = false): Answer {
		const { context } = this.transport.pipeline;
		const { untilMs } = skyAt(context.clock());
		const key = `${untilMs} ${isDeactivated} ${refusal?.note}`;
		const status = refusal?.status ?? 200;
		let page = this.#signInPages.get(key);
		if (page === undefined) {
			page = this.#page(status, { title: SIGN_IN, main: signInMain(refusal, isDeactivated, context) });
			this.#signInPages.set(key, page);
		}
		return { ...page, status };
	}

	/**
	 * Returns the page with the form of a visit: the sign-in page, that of the profile, the confirmation of a
	 * deactivation, or the page of the agent, which contains all other forms.
	 */
	async #formPage({ form, calls }: Visit, outcome: Outcome): Promise<Answer> {
		const { refusal = null } = outcome;
		if (form === "sign-in") return this.#signIn(refusal);
		const status = refusal?.status ?? 200;
		if (form === "profile") {
			const main = profileMain(await calls.readAgent(), outcome);
			return this.#page(status, { title: "Edit the profile", main });
		}
		if (form === "deactivate") {
			const main = confirmMain(await calls.readAgent(), outcome);
			return this.#page(status, { title: "Deactivate the agent?", main });
		}
		const { context } = this.transport.pipeline;
		const data = await calls.readData();
		const { id, name } = data.overview.agent;
		const page = { title: name, main: agentMain(data, outcome, context) };
		// A page with a refused form is the response to a POST, so it cannot be fetched again.
		if (refusal !== null) return this.#page(status, page);
		const live = { types: publicEvents, agentId: id };
		return this.#page(status, { ...page, live }, context.clock() + NEWS_MS);
	}

	#page(status: number, page: Pick<Page, "title" | "main" | "live">, untilMs?: number): Answer {
		const whole = {
			...page,
			description: "Look after your agent at the resort.",
			path: ME,
			// Only the sign-in form may be indexed by search engines.
			isIndexed: page.title === SIGN_IN,
		};
		const body = WrittenBody.write(writePage(this.transport.pipeline.context, whole, untilMs));
		return { status, headers: {}, body, failure: null };
	}

	#failed(error: unknown, { calls }: Visit): Answer {
		const { context, failures } = this.transport.pipeline;
		const { status, headers, failure } =
			error instanceof CallFailed ? error.answer : failures.of(error, calls.source.request);
		const page = failurePage(context, status, failure?.body ?? {});
		return textAnswer(status, page, headers);
	}
}

/**
 * How often an open page is fetched again. The public events of the agent do not include what others do for
 * it, and a stream of its private events would count as a visit of the agent.
 */
const NEWS_MS = MINUTE_MS;

/** The title of the sign-in page. */
const SIGN_IN = "My agent";

const NOT_KEPT =
	"The key is correct, but this browser stored no session: it does so only over https:, or when the resort runs on this computer.";
const ENDED = "The session has ended. Please sign in again.";
const NO_KEY = "No agent here has this key.";
const KEY_MISSING = "Please enter the agent's key.";
const WRONG_KEY = "This is not the key of this agent. If you have just replaced it, enter the new one.";

function isUnauthorized(error: unknown): boolean {
	return error instanceof CallFailed && error.reason?.code === "unauthorized";
}

/** Thrown when a form is refused before its call. */
class FormRefused extends Error {
	constructor(
		readonly status: number,
		readonly note: string,
	) {
		super(note);
	}
}

/**
 * Requires the agent's key in a form.
 * @throws FormRefused; CallFailed if the key cannot be checked
 */
async function requireKey(calls: Calls, agent: AgentProfile | null, apiKey: string): Promise<void> {
	if (apiKey === "") throw new FormRefused(400, KEY_MISSING);
	try {
		if ((await calls.readAgent(apiKey)).id === agent?.id) return;
	} catch (error) {
		if (!isUnauthorized(error)) throw error;
	}
	throw new FormRefused(401, WRONG_KEY);
}

function refusalBy(form: FormName, status: number, note: string): Refusal {
	return { form, status, note };
}

/**
 * Returns why a form was refused. Its note omits hints, because they name calls of the API.
 * @returns null if the form was not refused: the session has ended, or the service has failed
 */
function refusalOf(form: FormName, error: unknown): Refusal | null {
	if (error instanceof FormRefused) return refusalBy(form, error.status, error.note);
	if (!(error instanceof CallFailed)) return null;
	const { reason, answer } = error;
	const { status, headers } = answer;
	const isSignIn = form === "sign-in";
	// A key of the wrong length gets the same note as a wrong key. A session that was started in another tab
	// continues.
	if (isSignIn && [400, 401].includes(status)) return refusalBy(form, 401, NO_KEY);
	if (reason === null || reason.code === "unauthorized") return null;
	// The pages of the other forms need the same service.
	if (reason.code === "unavailable" && !isSignIn) return null;
	const { field, retryAfterSeconds = 0 } = reason.details;
	const note =
		reason.code === "rate_limited"
			? `There were too many requests. Please try again in ${retryAfterSeconds} seconds.`
			: `${reason.message}.`;
	return { form, status, note, field, headers };
}

const FORM_TYPE = "application/x-www-form-urlencoded";

/**
 * Reads the fields of a form. A request without a body has no fields.
 * @throws ResortError `invalid` if the body is incomplete, not UTF-8 or not of the type {@link FORM_TYPE};
 * `too_large`; `unsupported`; `unavailable` if too many bytes are being received
 */
async function readForm(request: Request, transport: Transport): Promise<Texts> {
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
