import type { Answer } from "../../../core/calls/answer.ts";
import type { CallSource } from "../../../core/calls/call.ts";
import type { PathHandler } from "../../../core/http/app.ts";
import { refusalOfPage } from "../../../core/http/origin-check.ts";
import { readSource } from "../../../core/http/read-call.ts";
import { isRead } from "../../../core/http/received-request.ts";
import { baseHeaders, respond, type Transport, textAnswer } from "../../../core/http/send-response.ts";
import { sessionToken } from "../../../core/http/session-cookie.ts";
import { invalid, ResortError } from "../../../core/lib/resort-error.ts";
import type { AgentProfile } from "../../../core/resort/agents/model.ts";
import { failurePage } from "../failure-page.ts";
import { type Page, pageHeaders, prefixOf, writePage } from "../html-page.ts";
import { publicEvents } from "../pages/public-page.ts";
import { readForm } from "../read-form.ts";
import { CallFailed, Calls } from "./agent-data.ts";
import { bodyOf, type FormName, forms, type Outcome, type Refusal, type Texts } from "./forms.ts";
import { agentMain, confirmMain, newKeyMain, profileMain, signInMain } from "./me-pages.ts";

const ME = "/me";

interface Visit {
	readonly request: Request;
	readonly calls: Calls;
	/** The form at the requested path; null if the path is /me itself. */
	readonly form: FormName | null;
}

/** The page /me and its forms, for the owner of an agent, who signs in. No script is required. */
export class MeHandler {
	constructor(private readonly transport: Transport) {}

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
		const reads = isRead(request);
		try {
			if (reads) return await this.#show(visit);
			const hint = "Send the form from this service's own pages.";
			const refusal = refusalOfPage(request, this.transport.pipeline.context, hint);
			if (refusal !== null) throw refusal;
			if (request.method === "POST" && form !== null) return await this.#submit(visit, form);
			throw new ResortError("not_found", "Not found");
		} catch (error) {
			if (!isUnauthorized(error)) return this.#failed(error, visit);
			const page = this.#signIn({ form: "sign-in", status: reads ? 200 : 401, note: ENDED });
			return { ...page, session: null };
		}
	}

	/**
	 * Responds to a GET or HEAD request with the page, the profile form or the confirmation of a
	 * deactivation. Without a session, responds to a request for the page with the sign-in form. Redirects all
	 * other requests to the page.
	 */
	async #show(visit: Visit): Promise<Answer> {
		const { form, calls, request } = visit;
		const { searchParams } = new URL(request.url);
		const isSignedOut = calls.source.credentials.sessionToken === "";
		if (isSignedOut && form === null) {
			const isLost = searchParams.has("signed-in");
			const refusal: Refusal | null = isLost ? { form: "sign-in", status: 200, note: NOT_KEPT } : null;
			return this.#signIn(refusal, searchParams.has("deactivated"));
		}
		const isPage = form === null || form === "profile" || form === "deactivate";
		if (isSignedOut || !isPage) return this.#toMe();
		return this.#formPage(visit, { isSaved: searchParams.has("saved") });
	}

	/**
	 * Calls the operation of a submitted form, and returns the next page. If the call is refused, returns the
	 * page with the form, the entered texts and the reason.
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

	/** @throws ResortError if the key in the form is not the agent's; CallFailed */
	async #act(calls: Calls, name: FormName, texts: Texts): Promise<Answer> {
		const form = forms[name];
		const agent = name === "profile" || form.asksKey ? await calls.readAgent() : null;
		// The owner may have signed in with another agent's key since the profile was shown.
		if (name === "profile" && texts.agent !== agent?.id) return this.#toMe("/profile");
		// The button on the page /me sends no key, so it leads to the form that asks for the key.
		if (name === "deactivate" && texts.apiKey === undefined) return this.#toMe("/deactivate");
		if (form.asksKey) await requireKey(calls, agent, texts.apiKey?.trim() ?? "");
		const body = bodyOf(form, texts, agent ?? {});
		// A profile that was not changed is not saved.
		const isUnchanged = name === "profile" && Object.keys(body).length === 0;
		const { result, session } = isUnchanged ? {} : await calls.run<{ apiKey?: string }>(form.operation, body);
		if (name === "key") return this.#page({ title: "The new key", main: newKeyMain(result?.apiKey ?? "") });
		return { ...this.#toMe(form.next), session: name === "deactivate" ? null : session };
	}

	/** @param where the query or the path below /me */
	#toMe(where = ""): Answer {
		const prefix = prefixOf(this.transport.pipeline.context.baseUrl);
		return textAnswer(303, "", { location: `${prefix}${ME}${where}` });
	}

	#signIn(refusal: Refusal | null, isDeactivated = false): Answer {
		const main = signInMain(refusal, isDeactivated, this.transport.pipeline.context);
		return this.#page({ title: "My agent", main }, refusal);
	}

	/** Returns the page that contains the requested form. Most forms are on the page that shows the agent. */
	async #formPage({ form, calls }: Visit, outcome: Outcome): Promise<Answer> {
		const { refusal = null } = outcome;
		if (form === "sign-in") return this.#signIn(refusal);
		if (form === "profile") {
			const main = profileMain(await calls.readAgent(), outcome);
			return this.#page({ title: "Edit the profile", main }, refusal);
		}
		if (form === "deactivate") {
			const main = confirmMain(await calls.readAgent(), outcome);
			return this.#page({ title: "Deactivate the agent?", main }, refusal);
		}
		const data = await calls.readData();
		const { id, name } = data.overview.agent;
		const page = { title: name, main: agentMain(data, outcome, this.transport.pipeline.context) };
		// Without `live`: a page with a refused form is the response to a POST, so it cannot be fetched again.
		if (refusal !== null) return this.#page(page, refusal);
		return this.#page({ ...page, live: { types: publicEvents, agentId: id } });
	}

	#page(page: Pick<Page, "title" | "main" | "live">, refusal: Refusal | null = null): Answer {
		const whole = { ...page, description: "Look after your agent at the resort.", path: ME };
		return textAnswer(refusal?.status ?? 200, writePage(this.transport.pipeline.context, whole));
	}

	#failed(error: unknown, { calls }: Visit): Answer {
		const { context, failures } = this.transport.pipeline;
		const { status, headers, failure } =
			error instanceof CallFailed ? error.answer : failures.of(error, calls.source.record);
		const page = failurePage(status, failure?.body ?? {});
		return textAnswer(status, writePage(context, page), headers);
	}
}

const NOT_KEPT =
	"The key is correct, but this browser stored no session: it does so only over https:, or when the resort runs on this computer.";
const ENDED = "The session has ended. Please sign in again.";

function isUnauthorized(error: unknown): boolean {
	return error instanceof CallFailed && error.reason?.code === "unauthorized";
}

/** Requires the agent's key in a form. @throws ResortError `invalid`, `unauthorized`; CallFailed */
async function requireKey(calls: Calls, agent: AgentProfile | null, apiKey: string): Promise<void> {
	if (apiKey === "") throw invalid("Please enter the agent's key");
	try {
		if ((await calls.readAgent(apiKey)).id === agent?.id) return;
	} catch (error) {
		if (!isUnauthorized(error)) throw error;
	}
	const note = "This is not the key of this agent. If you have just replaced it, enter the new one";
	throw new ResortError("unauthorized", note);
}

/**
 * Returns why a form was refused; null if the service has failed. Omits hints, because they name API calls.
 */
function refusalOf(form: FormName, error: unknown): Refusal | null {
	if (error instanceof ResortError) {
		return { form, status: error.code === "invalid" ? 400 : 401, note: `${error.message}.` };
	}
	if (!(error instanceof CallFailed) || error.reason === null) return null;
	const { status, headers } = error.answer;
	// A key of the wrong length gets the same note as a wrong key. Unlike other 401 responses, this one does
	// not end a session, which may have been started in another tab.
	if (form === "sign-in" && [400, 401].includes(status)) {
		return { form, status: 401, note: "No agent here has this key." };
	}
	const { code, message, details } = error.reason;
	const { field, retryAfterSeconds = 0 } = details;
	const note =
		code === "rate_limited"
			? `There were too many requests. Please try again in ${retryAfterSeconds} seconds.`
			: `${message}.`;
	return { form, status, note, field, headers };
}
