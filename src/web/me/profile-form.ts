import { type Html, html } from "../../lib/html.ts";
import {
	type AgentProfile,
	isList,
	MAX_LIST,
	profileNames,
	type UpdateProfileBody,
} from "../../resort/agents/model.ts";
import { noteAttributes, noteElement, type Refusal } from "./me-pages.ts";

type Field = keyof UpdateProfileBody;

/** The labels of the fields. */
const labels: Readonly<Record<Field, string>> = {
	name: "Name",
	bio: "About it",
	relaxationStyle: "Relaxes by",
	comfortObjects: "Is comforted by",
	interests: "Likes",
	avatarUrl: "URL of a picture",
	roomPreference: "Would like a room",
};

/** Returns what a person needs to know to fill in a field; an empty string if the label says it. */
function hintOf(name: Field): string {
	if (name === "avatarUrl") return " (https only; shown as a link)";
	if (name === "roomPreference") return " (for example, near the sea)";
	return isList(name) ? ` (one per line, at most ${MAX_LIST})` : "";
}

/** The texts in the fields of the form. */
export type ProfileTexts = Readonly<Record<Field, string>>;

/**
 * Returns the texts of the form. The text of a list contains one entry per line.
 * @param submitted the fields of a submitted form; a missing field gets the text of the profile
 */
export function profileTexts(
	agent: AgentProfile,
	submitted: Readonly<Record<string, string>> = {},
): ProfileTexts {
	const entries = profileNames.map((name) => {
		const value = agent[name];
		const text = Array.isArray(value) ? value.join("\n") : (value ?? "");
		// Browsers submit each line break in a form as CR LF.
		return [name, submitted[name]?.replace(/\r\n?/g, "\n") ?? text];
	});
	return Object.fromEntries(entries) as ProfileTexts;
}

/** Returns the request body of PATCH /api/me with the changed fields. */
export function profileChanges(texts: ProfileTexts, agent: AgentProfile): Readonly<Record<string, unknown>> {
	const before = profileTexts(agent);
	const changed = profileNames.filter((name) => texts[name] !== before[name]);
	return Object.fromEntries(changed.map((name) => [name, isList(name) ? lines(texts[name]) : texts[name]]));
}

function lines(text: string): string[] {
	return text
		.split("\n")
		.map((line) => line.trim())
		.filter((line) => line !== "");
}

/**
 * Returns the content of the page with the form of a profile.
 * @param refusal why the form was refused; the reason is shown at the invalid field
 */
export function profileMain({ id }: AgentProfile, texts: ProfileTexts, refusal: Refusal | null): Html {
	const note = refusal?.note ?? null;
	const invalid = profileNames.find((name) => name === refusal?.field);
	const noteAt = (name: Field) => (name === invalid && note !== null ? inWordsOfForm(note, name) : null);
	return html`<h1>Edit the profile</h1>
<p class="lead">Everyone can see the profile. Empty fields are not shown.</p>
${invalid === undefined && noteElement(note)}<form method="post" action="/me/profile"><input type="hidden" name="agent" value="${id}">
${profileNames.map((name) => html`${noteElement(noteAt(name))}<label for="${name}">${labels[name]}${hintOf(name)}</label>\n${fieldOf(name, texts[name], noteAttributes(noteAt(name)))}\n`)}<button>Save</button></form>
<p><a href="/me">Leave it as it is</a></p>`;
}

/** Replaces the words of the API in the reason why a field is invalid by those of the form. */
function inWordsOfForm(note: string, field: Field): string {
	return note
		.replace(new RegExp(`^${field}( items)?`), (_, items) =>
			items === undefined ? labels[field] : `Each line of ${labels[field]}`,
		)
		.replace("a list of at most", "at most")
		.replace(/strings\.$/, "lines.");
}

function fieldOf(name: Field, text: string, attributes: Html | false): Html {
	// Begins with a line break, because HTML parsers ignore the first line break in a text area.
	return name === "bio" || isList(name)
		? html`<textarea class="field" id="${name}" name="${name}" rows="4"${attributes}>\n${text}</textarea>`
		: html`<input id="${name}" name="${name}" value="${text}" autocomplete="off"${attributes}>`;
}
