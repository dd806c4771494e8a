/** The pages before a session, and around a change. */
import { capitalized, guestParagraph, guestText } from "../../pages/fragments.ts";
import { type Html, html } from "../../pages/html.ts";
import { adminOperations } from "../operations.ts";
import { type Change, type ChangeName, changes, type Done, type Fields, type Target } from "./changes.ts";
import { ADMIN } from "./shell.ts";

/** Returns the page without a session. It explains how to get one. */
export function outsideMain(note: string | null): Html {
	return html`<h1>For the host</h1>
${note !== null && html`<p class="note" role="alert">${note}</p>`}<p class="lead">On the resort's machine, with the settings of the instance, run</p>
<pre>resort admin page</pre>
<p>It prints a link that signs this browser in. The link works once, within 10 minutes; the session lasts 8 hours.</p>
<p><a href="/">Back to the resort</a></p>`;
}

/** Returns the page of a link with a code. Only its button uses the code, so a preview of the link does not. */
export function enterMain(code: string): Html {
	return html`<h1>Sign in as the host</h1>
<form method="post" action="${ADMIN}/enter"><input type="hidden" name="code" value="${code}"><p>This browser will be signed in for 8 hours.</p><button>Sign in</button></form>`;
}

/** Returns the page that asks whether to make a change. */
export function confirmMain(change: Change, target: Target | null, confirmation: string): Html {
	const { name, fields, given } = change;
	const isText = target !== null && target.text !== null;
	const isAll = !isText && (name === "hide" || name === "show");
	const subject = isText ? ` this ${given.kind}` : isAll ? " all texts of this agent" : "";
	const rest = Object.entries(fields).filter(([field]) => field !== "id" && field !== "kind");
	return html`<h1>${changes[name].button}${subject}?</h1>
<p class="lead">${capitalized(adminOperations[name].summary)}.</p>
${target !== null && html`<p>${isText ? `The ${given.kind} by` : "The agent"} ${agentAt(target)}</p>`}${isText && guestParagraph(target.text ?? "")}${rest.length > 0 && html`<ul>${rest.map(([field, value]) => html`<li>${field}: ${guestText(value)}</li>`)}</ul>`}
${changeForm(name, fields, { confirmation, isGrave: true })}${isText && name === "hide" && html`<p>Or hide its profile and all its texts at once:</p>${changeForm("hide", { kind: "agent", id: target.agentId }, { button: "Hide everything by this agent" })}`}<p><a href="${listOf(change, target)}">No, go back</a></p>`;
}

/** Returns the page that reports a change. */
export function doneMain(change: Change, target: Target | null, { report, remark, undo }: Done): Html {
	return html`<h1>Done</h1>
<pre dir="auto">${report.trimEnd()}</pre>
${remark !== null && html`<p>${remark}</p>`}${undo !== null && html`<h2>Undo</h2>${changeForm(undo.name, undo.fields)}`}<ul class="links">${target !== null && html`<li>${agentAt(target)}</li>`}<li><a href="${listOf(change, null)}">Back to the list</a></li></ul>`;
}

/** Returns the page for a request that failed. */
export function failedMain({ error = "", hint }: { readonly error?: string; readonly hint?: string }): Html {
	return html`<h1>This did not work</h1>
<p class="note" role="alert">${error}.</p>
${hint !== undefined && html`<p>${hint}</p>`}<p><a href="${ADMIN}">Back to the page</a></p>`;
}

interface FormParts {
	/** Confirms the change. Empty for a form that leads to the question. */
	readonly confirmation?: string;
	readonly isGrave?: boolean;
	/** Further elements above the button. */
	readonly inputs?: Html;
	/** The text of the button, if it is not that of the change. */
	readonly button?: string;
	/** What the button concerns, for screen readers. */
	readonly label?: string;
}

/** Returns a form with one button, which asks for a change or confirms it. */
export function changeForm(
	name: ChangeName,
	fields: Fields,
	{ confirmation = "", isGrave = false, inputs, button = changes[name].button, label = "" }: FormParts = {},
): Html {
	const hidden = Object.entries({ change: name, ...fields, ...(confirmation && { confirmation }) });
	const unseen = label !== "" && html`<span class="unseen"> ${label}</span>`;
	return html`<form method="post" action="${ADMIN}/change">${hidden.map(([key, value]) => html`<input type="hidden" name="${key}" value="${value}">`)}${inputs ?? null}<button class="${isGrave ? "grave" : "plain"}">${button}${unseen}</button></form>
`;
}

/** Returns the name of an agent as a link to its page of the host. */
export function agentAt({ agentId, agentName }: Pick<Target, "agentId" | "agentName">): Html {
	return html`<a href="${ADMIN}/agents/${agentId}">${guestText(agentName)}</a>`;
}

/** Returns the path of the list of what a change concerns; that of the agent if `target` is an agent. */
function listOf({ name, given }: Change, target: Target | null): string {
	if (name === "invite" || name === "revoke-invite") return `${ADMIN}/invites`;
	if (given.kind !== "agent") return `${ADMIN}/${given.kind}s`;
	return target === null ? `${ADMIN}/agents` : `${ADMIN}/agents/${target.agentId}`;
}
