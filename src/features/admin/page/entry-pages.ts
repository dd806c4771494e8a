/** The pages to sign in, to confirm a change, and to report a change or a failure. */
import { copyField, guestParagraph, guestText } from "../../pages/fragments.ts";
import { type Html, html } from "../../pages/html.ts";
import {
	type Change,
	type ChangeName,
	changes,
	type Done,
	effectOf,
	type Fields,
	graveChanges,
	type Target,
} from "./changes.ts";
import { ADMIN } from "./shell.ts";

/** Returns the page for browsers without a session. It explains how to get a session. */
export function outsideMain(note: string | null): Html {
	return html`<h1>For the host</h1>
${note !== null && html`<p class="note" role="alert">${note}</p>`}<p class="lead">On the resort's machine, with the same settings as the instance, run</p>
<pre>resort admin page --config /etc/resort.toml</pre>
<p>or, for an instance that was started with flags,</p>
<pre>resort admin page --admin-page on --port 8080 --database resort.sqlite</pre>
<p>It prints a link that signs this browser in. The link works once, within 10 minutes; the session lasts 8 hours.</p>
<p><a href="/">Back to the resort</a></p>`;
}

/** Returns the page for a link with a code. Its button uses up the code; opening the link does not. */
export function enterMain(code: string): Html {
	return html`<h1>Sign in as the host</h1>
<form method="post" action="${ADMIN}/enter"><input type="hidden" name="code" value="${code}"><p>This browser will be signed in for 8 hours.</p><button>Sign in</button></form>`;
}

/**
 * Returns the page that asks whether to make a change.
 * @param choices the changes that the page offers, with the tokens that confirm them
 */
export function confirmMain(
	change: Change,
	target: Target | null,
	choices: ReadonlyMap<Change, string>,
): Html {
	const { name, given, from } = change;
	const isText = target !== null && given.kind !== "agent";
	const forms = Array.from(choices, ([one, confirmation]) => {
		const button = buttonOf(one, target);
		const form = changeForm(one.name, { ...one.fields, from }, { confirmation, button });
		return html`<div class="choice"><p>${effectOf(one, target)}</p>
${warningOf(one, target)}${form}</div>`;
	});
	return html`<h1>${buttonOf(change, target)}?</h1>
${target !== null && html`<p>${isText ? `The ${given.kind} by` : "The agent"} ${agentAt(target.agent.id, target.agent.name)}</p>`}${isText && guestParagraph(target.text ?? "")}${isText && name === "show" && target.agent.textsHiddenAt !== null && html`<p class="note">Its author is hidden, and stays hidden.</p>`}
${forms}<p><a href="${ADMIN}${from}">No, go back</a></p>`;
}

/** Returns a warning if a change hides an agent that can still write, or shows a deactivated agent. */
function warningOf({ name, given }: Change, target: Target | null): Html | false {
	if (target === null || given.kind !== "agent") return false;
	const { deactivatedAt } = target.agent;
	const who = guestText(target.agent.name);
	if (name === "hide" && deactivatedAt === null) {
		return html`<p>${who} can still check in and write. Its new texts are public.</p>`;
	}
	return (
		name === "show" && deactivatedAt !== null && html`<p>${who} stays deactivated, without a profile.</p>`
	);
}

/** Returns the text of the button that confirms a change. */
function buttonOf({ name, given }: Change, target: Target | null): Html {
	const all = html`everything by ${guestText(target?.agent.name ?? "")}`;
	const what = given.kind === "agent" ? all : `this ${given.kind}`;
	if (name === "hide") return html`Hide ${what}`;
	return name === "show" ? html`Show ${what} again` : html`${changes[name].button}`;
}

/** Returns the page that reports a change. */
export function doneMain(change: Change, target: Target | null, { report, remark, undo }: Done): Html {
	const { name, from } = change;
	const warning = warningOf(change, target);
	return html`<h1>Done</h1>
${name === "invite" ? copyField("the invitation", report) : html`<pre dir="auto">${report.trimEnd()}</pre>`}
${remark !== null && html`<p>${remark}</p>`}${warning}${warning && changeForm(name === "hide" ? "deactivate" : "reactivate", { id: target?.agent.id ?? "", from })}${undo !== null && html`<h2>Undo</h2>${changeForm(undo.name, { ...undo.fields, from })}`}<ul class="links">${target !== null && html`<li>${agentAt(target.agent.id, target.agent.name)}</li>`}<li><a href="${ADMIN}${from}">Back to the list</a></li></ul>`;
}

/** Returns the page for a request that failed. */
export function failedMain({ error = "", hint }: { readonly error?: string; readonly hint?: string }): Html {
	return html`<h1>This did not work</h1>
<p class="note" role="alert">${error}.</p>
${hint !== undefined && html`<p>${hint.replace("resort admin ", `${ADMIN}/`)}</p>`}<p><a href="${ADMIN}">Back to the page</a></p>`;
}

interface FormParts {
	/** The token that confirms the change. Empty in a form that leads to the page for confirmation. */
	readonly confirmation?: string;
	/** Further elements above the button. */
	readonly inputs?: Html;
	/** The text of the button, if it differs from the usual text for the change. */
	readonly button?: Html | string;
	/** What the button concerns, for screen readers. */
	readonly label?: string;
}

/** Returns a form with one button. It confirms the change, or leads to the page for confirmation. */
export function changeForm(
	name: ChangeName,
	fields: Fields,
	{ confirmation = "", inputs, button = changes[name].button, label = "" }: FormParts = {},
): Html {
	const hidden = Object.entries({ change: name, ...fields, ...(confirmation && { confirmation }) });
	const look = confirmation === "" ? "plain" : graveChanges.includes(name) && "grave";
	const unseen = label !== "" && html`<span class="unseen"> ${label}</span>`;
	return html`<form method="post" action="${ADMIN}/change">${hidden.map(([key, value]) => html`<input type="hidden" name="${key}" value="${value}">`)}${inputs ?? null}<button class="${look}">${button}${unseen}</button></form>
`;
}

/** Returns the name of an agent, as a link to the host's page about this agent. */
export function agentAt(id: string, name: string): Html {
	return html`<a href="${ADMIN}/agents/${id}">${guestText(name)}</a>`;
}
