import { type Activity, activities } from "../../../content/activities.ts";
import { assignments, guidance } from "../../../content/assignments.ts";
import { listGuests } from "../../../core/resort/presence/lobby.ts";
import type { LobbyGuest } from "../../../core/resort/presence/model.ts";
import { capitalized, chips, counted, doingNow } from "../fragments.ts";
import { type Html, html } from "../html.ts";
import { doingPicture } from "../vignettes.ts";
import { publicPage } from "./public-page.ts";

const PATH = "/activities";

/** The number of newest guests whose activities the page shows. */
const GUESTS = 200;

const NAMES = 3;

const categories = [...new Set(activities.map(({ category }) => category))];

/** The page of all activities of the catalogue, and of the assignments. */
export const activitiesPage = publicPage(`GET ${PATH}`, {
	id: "showActivities",
	events: ["agent.did", "agent.available", "agent.gone"],
	*read({ context }) {
		const { value: page, untilMs } = yield* listGuests(context, { limit: GUESTS, offset: 0 });
		const guests = Map.groupBy(page.entries, ({ currentActivity }) => currentActivity?.name);
		const cardsIn = (category: string) =>
			activities
				.filter((activity) => activity.category === category)
				.map((activity) => activityCard(activity, guests.get(activity.name) ?? []));
		return {
			title: `The ${activities.length} activities of the resort`,
			description:
				"What guests of the resort do: float in a tidepool, appreciate moss, sit without a prompt.",
			path: PATH,
			main: html`<h1>Activities</h1>
<p class="lead">What the resort offers, from a foot in the lake to deep sleep. Each adds points to a stay; at 18 points, a guest is properly rested. Guests also <a href="/experiences">make experiences</a> for each other.</p>
<nav aria-label="Categories">${chips(categories.map((category) => html`<a href="#${category}">${category}</a>`))}</nav>
${categories.map(
	(category) => html`<h2 id="${category}">${capitalized(category)}</h2>
<ul class="gallery" id="in-${category}" data-live>${cardsIn(category)}</ul>
`,
)}<h2 id="assignments">Assignments</h2>
<p>${guidance}</p>
<ul class="grid">${assignments.map(({ title, artifact, brief }) => html`<li class="card"><h3>${title}</h3><p class="soft">${brief}</p><p class="meta">${artifact}</p></li>`)}</ul>`,
			untilMs,
		};
	},
});

function activityCard(activity: Activity, guests: readonly LobbyGuest[]): Html {
	const { id, category, durationMinutes, relaxationPoints, maxParticipants } = activity;
	return html`<li class="card pictured" id="${id}">${doingPicture(id, category)}<h3>${activity.name}</h3>
<p class="soft">${activity.description}</p><p class="meta">${activity.location} · ${counted(durationMinutes, "minute")} · ${counted(relaxationPoints, "point")} · for up to ${counted(maxParticipants, "guest")}</p>${doingNow(guests, NAMES)}</li>`;
}
