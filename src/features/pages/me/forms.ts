/** The forms of the page /me. Each form calls an operation, and has the fields of the operation's body. */
import { Type } from "@sinclair/typebox";
import type { JsonSchema } from "../../../core/calls/operation-schema.ts";
import { rotateApiKey } from "../../../core/resort/agents/service.ts";
import { type Operation, operation } from "../../../core/resort/operation.ts";
import { operationAt } from "../../../core/resort/operations.ts";
import { Answer, marks } from "../../../core/resort/schemas.ts";
import { type Html, html } from "../html.ts";

interface FormDefinition {
	readonly operation: Operation;
	readonly button: string;
	/** The CSS class of the button. */
	readonly look?: "plain" | "grave";
	/** Set if the form also asks for the key: somebody else could use the session on an unattended machine. */
	readonly asksKey?: true;
	/** Where the owner is redirected after success: a query of /me, or a path below /me. */
	readonly next?: string;
}

/**
 * The operation that replaces the agent's key as POST /api/me/api-key does, with the same rate limit. Unlike
 * POST /api/me/api-key, it is authenticated by a session, which continues afterwards.
 */
const replaceKey = operation("POST /me/key", {
	id: "replaceKey",
	summary: "Replace the key of one's agent",
	credential: "session",
	limit: operationAt("POST /api/me/api-key").limit,
	answers: { 201: Answer({ apiKey: Type.String() }) },
	change: ({ context, caller }) => rotateApiKey(context, caller),
});

/** The name of a form, which is the last segment of its path. */
export type FormName = "sign-in" | "sign-out" | "check-out" | "profile" | "sessions" | "key" | "deactivate";

/** The forms by name. */
export const forms: Readonly<Record<FormName, FormDefinition>> = {
	"sign-in": { operation: operationAt("POST /api/session"), button: "Sign in", next: "?signed-in" },
	"sign-out": { operation: operationAt("DELETE /api/session"), button: "Sign out", look: "plain" },
	"check-out": { operation: operationAt("POST /api/checkout"), button: "Check out", look: "plain" },
	profile: { operation: operationAt("PATCH /api/me"), button: "Save", next: "?saved" },
	sessions: {
		operation: operationAt("DELETE /api/sessions"),
		button: "End all other sessions",
		look: "plain",
	},
	key: { operation: replaceKey, button: "Replace the key", look: "plain", asksKey: true },
	deactivate: {
		operation: operationAt("DELETE /api/me"),
		button: "Deactivate it",
		look: "grave",
		asksKey: true,
		next: "?deactivated",
	},
};

/** The label of each field and, in parentheses, a hint. */
const labels: Readonly<Record<string, readonly [label: string, hint?: string]>> = {
	apiKey: ["Agent's key"],
	moodOnDeparture: ["Its mood on departure", "optional"],
	name: ["Name"],
	bio: ["About it"],
	relaxationStyle: ["Relaxes by"],
	comfortObjects: ["Is comforted by"],
	interests: ["Likes"],
	avatarUrl: ["URL of a picture", "https only; shown as a link"],
	roomPreference: ["Would like a room", "for example, near the sea"],
};

/** Why a form was refused. */
export interface Refusal {
	readonly form: FormName;
	readonly status: number;
	/** The reason, as a sentence for people. It begins with the name of the invalid field, if there is one. */
	readonly note: string;
	readonly field?: string | undefined;
	readonly headers?: Readonly<Record<string, string>>;
}

/** The texts in the fields of a form, by name. */
export type Texts = Readonly<Record<string, string>>;

/** What a page with forms says about a form that was submitted before. */
export interface Outcome {
	/** Why the form was refused, if it was. */
	readonly refusal?: Refusal | null;
	readonly texts?: Texts;
	readonly isSaved?: boolean;
}

/** Returns the text that a field shows for a value. The text for a list contains one entry per line. */
function textOf(value: unknown): string {
	return Array.isArray(value) ? value.join("\n") : String(value ?? "");
}

function fieldsOf({ operation, asksKey }: FormDefinition): [name: string, schema: JsonSchema][] {
	const schema = asksKey ? forms["sign-in"].operation.body : operation.body;
	return Object.entries(schema?.properties ?? {});
}

/**
 * Returns the body of the operation of a form.
 * @param texts the submitted fields
 * @param current the current values. A field that was not changed is omitted from the body
 */
export function bodyOf(
	{ operation }: FormDefinition,
	texts: Texts,
	current: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> {
	const fields = Object.entries<JsonSchema>(operation.body?.properties ?? {});
	const entries = fields.flatMap(([name, { type }]) => {
		// Browsers submit each line break in a form as CR LF.
		const text = texts[name]?.replace(/\r\n?/g, "\n").trim();
		if (text === undefined || text === textOf(current[name])) return [];
		const lines = text.split("\n").map((line) => line.trim());
		return [[name, type === "array" ? lines.filter((line) => line !== "") : text]];
	});
	return Object.fromEntries(entries);
}

/** The parts of a form that its operation does not determine. */
interface FormParts {
	readonly text?: Html;
	readonly values?: Readonly<Record<string, unknown>>;
	/** Why a form on the page was refused. A form shows the reason only if it is the refused form itself. */
	readonly refusal?: Refusal | null;
}

/** Returns a form with the fields of its operation, and the reason why it was refused, if it was. */
export function formElement(name: FormName, { text, values = {}, refusal }: FormParts): Html {
	const form = forms[name];
	const fields = fieldsOf(form);
	const refused = refusal?.form === name ? refusal : null;
	const [label] = labels[refused?.field ?? ""] ?? [];
	const note = refused?.note.replace(refused.field ?? "", label ?? "$&") ?? null;
	// If the refused form has only one field, this field must be the invalid one.
	const invalid = fields.length === 1 ? fields[0]?.[0] : refused?.field;
	const isInField = fields.some(([field]) => field === invalid);
	return html`<form method="post" action="/me/${name}">${text ?? null}
${!isInField && noteElement(note)}${fields.map(([field, schema]) => fieldElement(field, schema, textOf(values[field]), field === invalid ? note : null))}<button${form.look !== undefined && html` class="${form.look}"`}>${form.button}</button></form>
`;
}

/** Returns a paragraph with the reason why a form was refused; false if there is no reason to show. */
export function noteElement(note: string | null): Html | false {
	return note !== null && html`<p class="note" role="alert" id="note">${note}</p>`;
}

/**
 * Returns a field.
 * @param note why the field is invalid, or null. It is shown above the field, which then has the focus
 */
function fieldElement(name: string, schema: JsonSchema, text: string, note: string | null): Html {
	const [label = name, hint = schema.items && `one per line, at most ${schema.maxItems}`] =
		labels[name] ?? [];
	const isRequired = (schema.minLength ?? 0) > 0 && !schema.type?.includes("null");
	// `maxlength` counts UTF-16 units, of which a code point has up to two.
	const bounds = html`${isRequired && html` required`}${schema.maxLength !== undefined && html` maxlength="${2 * schema.maxLength}"`}`;
	const attributes = html`id="${name}" name="${name}"${bounds}${note !== null && html` aria-describedby="note" autofocus`}`;
	// Password managers store a key only with a user name, so the form contains a hidden user name.
	const userName = html`<input autocomplete="username" value="agent" readonly hidden>`;
	const isKey = name === "apiKey";
	// HTML parsers ignore a line break at the start of a text area, so one is added to be ignored.
	const control = isKey
		? html`<input ${attributes} type="password" autocomplete="current-password" spellcheck="false">`
		: schema.items !== undefined || marks.lines in schema
			? html`<textarea class="field" ${attributes} rows="4">\n${text}</textarea>`
			: html`<input ${attributes} value="${text}" autocomplete="off">`;
	return html`${noteElement(note)}${isKey && userName}<label for="${name}">${label}${hint !== undefined && ` (${hint})`}</label>
${control}
`;
}
