import { html } from "./html.ts";
import type { Page } from "./html-page.ts";
import { scene } from "./scenery.ts";

const messages: Readonly<Record<number, readonly [title: string, text: string]>> = {
	400: ["We could not understand this", "A part of the address or of the form is invalid."],
	403: [
		"This form was refused",
		"Forms are accepted only from the pages of this resort, at its own address.",
	],
	404: [
		"There is nothing here",
		"This address is unknown, or what was here is gone for good. One window is still lit.",
	],
	413: ["This is too large", "No form on these pages is that long."],
	429: ["A little slower, please", "There were too many requests."],
	503: ["The resort is busy", "Please try again in a moment."],
};

const UNEXPECTED = ["Something went wrong", "The error has been logged."] as const;

/** Returns the page for a failed request. Except for a 404, it shows the error and the hint in `body`. */
export function failurePage(status: number, body: { readonly error?: string; readonly hint?: string }): Page {
	const [title, text] = messages[status] ?? UNEXPECTED;
	return {
		title,
		description: text,
		path: null,
		// The page for a 404 shows the house with one lit window instead of the sea.
		...(status === 404 && { scene: (sky) => scene(sky, 1, false) }),
		main: html`<h1>${title}</h1>
<p class="lead">${text}</p>
${status !== 404 && body.error !== undefined && html`<p class="soft">${body.error}. ${body.hint ?? ""}</p>`}<p><a href="/">Back to the resort</a></p>`,
	};
}
