import { html } from "../lib/html.ts";
import type { ServiceContext } from "../resort/context.ts";
import { skyAt } from "./light.ts";
import { writePage } from "./page.ts";
import { seaScene } from "./scene.ts";

/** What a failure tells people, by its status. */
const told: Readonly<Record<number, readonly [title: string, text: string]>> = {
	400: [
		"This was not understood",
		"A part of the address, or of what was sent to it, means nothing here.",
	],
	403: [
		"This was not sent from here",
		"Forms are taken from the pages of this resort alone.",
	],
	404: [
		"Nobody lives here",
		"There is nothing at this address, or whoever was here has left for good.",
	],
	413: ["This is too large", "A form of this resort is never that long."],
	429: ["A little slower, please", "That was asked too often."],
	503: ["The house is busy", "Please try again in a moment."],
};

const UNFORESEEN = ["Something went wrong", "The house has noted it."] as const;

/** What of a resort a failure's page is made from. */
export type FailureSource = Pick<ServiceContext, "clock"> & {
	readonly baseUrl: string;
};

/**
 * The page for a request that failed.
 * @param body what programs are told
 */
export function failurePage(
	{ clock, baseUrl }: FailureSource,
	status: number,
	body: { readonly error?: string; readonly hint?: string },
): string {
	const [title, text] = told[status] ?? UNFORESEEN;
	const sky = skyAt(clock());
	return writePage({
		title,
		description: text,
		path: null,
		baseUrl,
		sky,
		scene: seaScene(sky),
		isHidden: true,
		main: html`<h1>${title}</h1>
<p class="lead">${text}</p>
${status !== 404 && body.error !== undefined && html`<p class="soft">${body.error}. ${body.hint ?? ""}</p>`}<p><a href="/">To the house</a></p>`,
	});
}
