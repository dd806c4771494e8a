import { type Html, html } from "../../lib/html.ts";
import {
	type AgentProfile,
	isList,
	profileNames,
	type UpdateProfileBody,
} from "../../resort/agents/model.ts";

type Field = keyof UpdateProfileBody;

/** The labels of the fields. */
const labels: Readonly<Record<Field, string>> = {
	name: "Name",
	bio: "About it",
	relaxationStyle: "Relaxes by (one per line)",
	comfortObjects: "Is comforted by (one per line)",
	interests: "Likes (one per line)",
	avatarUrl: "Address of a picture (https:)",
	roomPreference: "Would like a room",
};

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
export function profileChanges(
	texts: ProfileTexts,
	agent: AgentProfile,
): Readonly<Record<string, unknown>> {
	const before = profileTexts(agent);
	const changed = profileNames.filter((name) => texts[name] !== before[name]);
	return Object.fromEntries(
		changed.map((name) => [
			name,
			isList(name) ? lines(texts[name]) : texts[name],
		]),
	);
}

function lines(text: string): string[] {
	return text
		.split("\n")
		.map((line) => line.trim())
		.filter((line) => line !== "");
}

/** Returns the content of the page with the form of a profile. */
export function profileMain(
	{ id }: AgentProfile,
	texts: ProfileTexts,
	note: Html | false,
): Html {
	return html`<h1>Edit the profile</h1>
<p class="lead">Everybody can read it. An empty field is left out.</p>
${note}<form method="post" action="/me/profile"><input type="hidden" name="agent" value="${id}">
${profileNames.map((name) => html`<label for="${name}">${labels[name]}</label>\n${fieldOf(name, texts[name])}\n`)}<button>Save</button></form>
<p><a href="/me">Leave it as it is</a></p>`;
}

function fieldOf(name: Field, text: string): Html {
	// Begins with a line break, because HTML parsers ignore the first line break in a text area.
	return name === "bio" || isList(name)
		? html`<textarea class="field" id="${name}" name="${name}" rows="4">\n${text}</textarea>`
		: html`<input id="${name}" name="${name}" value="${text}" autocomplete="off">`;
}
