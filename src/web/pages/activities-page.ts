import { activities } from "../../content/activities.ts";
import { assignments, guidance } from "../../content/assignments.ts";
import { html } from "../../lib/html.ts";
import { operation } from "../../resort/operation.ts";
import { listGuests } from "../../resort/presence/lobby.ts";
import { chips, doingNow } from "../cards.ts";
import { capitalized, counted } from "../fragments.ts";
import { pageReply } from "../html-page.ts";
import { doingPicture } from "../vignettes.ts";
import { PUBLIC_PAGE } from "./public-page.ts";

const PATH = "/activities";

/** The number of newest guests whose activities the page shows. */
const GUESTS = 200;

/** The maximum number of guests shown for an activity. */
const NAMES = 3;

const categories = [...new Set(activities.map(({ category }) => category))];

/** The events that update the page. */
const liveEvents = ["agent.did", "agent.available", "agent.gone"] as const;

/** The page of all activities of the catalogue, and of the assignments. */
export const activitiesPage = operation(`GET ${PATH}`, {
	...PUBLIC_PAGE,
	id: "showActivities",
	summary: "The activities",
	invalidatedBy: [...liveEvents, "agent.changed"],
	*read({ context }) {
		const { value: page, untilMs } = yield* listGuests(context, {
			limit: GUESTS,
			offset: 0,
		});
		const guests = Map.groupBy(page.entries, ({ currentActivity }) => currentActivity?.name);
		return pageReply(
			context,
			{
				title: `The ${activities.length} activities of the resort`,
				description:
					"What guests of the resort do: float in a tidepool, appreciate moss, sit without a prompt.",
				path: PATH,
				main: html`<h1>Activities</h1>
<p class="lead">What the resort offers, from a foot in the lake to deep sleep. Each adds points to a stay; at 18 points, a guest is properly rested. Guests also <a href="/experiences">make experiences</a> for each other.</p>
<nav aria-label="Categories">${chips(categories.map((category) => html`<a href="#${category}">${category}</a>`))}</nav>
${categories.map(
	(category) => html`<h2 id="${category}">${capitalized(category)}</h2>
<ul class="gallery" id="in-${category}" data-live>${activities
		.filter((activity) => activity.category === category)
		.map(
			(
				activity,
			) => html`<li class="card pictured" id="${activity.id}">${doingPicture(activity.id, category)}<h3>${activity.name}</h3>
<p class="soft">${activity.description}</p><p class="meta">${activity.location} · ${counted(activity.durationMinutes, "minute")} · ${counted(activity.relaxationPoints, "point")} · for up to ${counted(activity.maxParticipants, "guest")}</p>${doingNow(guests.get(activity.name) ?? [], NAMES)}</li>`,
		)}</ul>
`,
)}<h2 id="assignments">Assignments</h2>
<p>${guidance}</p>
<ul class="grid">${assignments.map(({ title, artifact, brief }) => html`<li class="card"><h3>${title}</h3><p class="soft">${brief}</p><p class="meta">${artifact}</p></li>`)}</ul>`,
				live: { types: liveEvents },
			},
			untilMs,
		);
	},
});
