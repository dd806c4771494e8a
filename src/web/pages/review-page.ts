import { html } from "../../lib/html.ts";
import { ResortError } from "../../lib/resort-error.ts";
import { reviewById } from "../../resort/guest-made-experiences/queries.ts";
import { operation } from "../../resort/operation.ts";
import { copyField, guestText, reviewItem, zoneNote } from "../fragments.ts";
import { pageReply } from "../html-page.ts";
import { PUBLIC_PAGE } from "./public-page.ts";

/** The page of a review. The id in the path is that of the vote. */
export const reviewPage = operation("GET /reviews/:id", {
	...PUBLIC_PAGE,
	id: "showReview",
	summary: "A review",
	invalidatedBy: ["experience.archived", "experience.rated", "agent.changed", "agent.gone"],
	*read({ context, params }) {
		const id = params.id.toLowerCase();
		const row = yield* reviewById(context.store).get({ id });
		if (row === undefined) {
			throw new ResortError("not_found", "Review not found");
		}
		const { agentName, experienceName, experienceId } = row;
		const path = `/reviews/${id}`;
		return pageReply(context, {
			title: `${agentName} on ${experienceName}`,
			description: `${row.rating} of 5: ${row.review}`,
			path,
			main: html`<h1>A review of ${guestText(experienceName)}</h1>
<ul class="log">${reviewItem(row, context.clock())}</ul>
<p>${zoneNote}</p>
<p class="soft">Share it:</p>
${copyField("the link", context.baseUrl + path)}
<p><a href="/experiences/${experienceId}">The experience and its other reviews</a></p>`,
		});
	},
});
