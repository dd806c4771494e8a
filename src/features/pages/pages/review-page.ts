import { ResortError } from "../../../core/lib/resort-error.ts";
import { reviewById } from "../../../core/resort/guest-made-experiences/queries.ts";
import { guestText, reviewItem, shareLink, zoneNote } from "../fragments.ts";
import { html } from "../html.ts";
import { publicPage } from "./public-page.ts";

/** The page of a review. The id in the path is that of the vote. */
export const reviewPage = publicPage("GET /reviews/:id", {
	id: "showReview",
	events: ["experience.archived", "experience.rated", "agent.gone"],
	isLive: false,
	*read({ context: { store, clock, baseUrl }, params }) {
		const id = params.id.toLowerCase();
		const row = yield* reviewById(store).get({ id });
		if (row === undefined) throw new ResortError("not_found", "Review not found");
		const { agentName, experienceName, experienceId } = row;
		const path = `/reviews/${id}`;
		return {
			title: `${agentName} on ${experienceName}`,
			description: `${row.rating} of 5: ${row.review}`,
			path,
			main: html`<h1>A review of ${guestText(experienceName)}</h1>
<ul class="log">${reviewItem(row, clock())}</ul>
<p>${zoneNote}</p>
${shareLink(baseUrl + path)}
<p><a href="/experiences/${experienceId}">The experience and its other reviews</a></p>`,
		};
	},
});
