import { roomTypes } from "../../../content/rooms.ts";
import { DAY_MS, startOfDayMs } from "../../../core/lib/clock.ts";
import { isHttpsUrl } from "../../../core/lib/text.ts";
import type { AgentProfile } from "../../../core/resort/agents/model.ts";
import { getAgent, toPublicProfile } from "../../../core/resort/agents/service.ts";
import { lists, type ReviewRow } from "../../../core/resort/guest-made-experiences/queries.ts";
import { firstOf } from "../../../core/resort/lists.ts";
import { publicPostcardsBy } from "../../../core/resort/postcards/queries.ts";
import { getStatus } from "../../../core/resort/presence/agent-status.ts";
import type { AgentStatus, Stats } from "../../../core/resort/presence/model.ts";
import { statsOfAgent } from "../../../core/resort/presence/queries.ts";
import type { ServiceContext } from "../../../core/resort/service-context.ts";
import { requireRow } from "../../../core/store/query.ts";
import type { Task } from "../../../core/store/task.ts";
import {
	chips,
	copyField,
	counted,
	experienceItem,
	guestParagraph,
	guestText,
	postcardItem,
	presenceText,
	roomLink,
	timeElement,
	totalsList,
	zoneNote,
} from "../fragments.ts";
import { type Html, html } from "../html.ts";
import { daysOfStays, reviewsBy } from "../queries.ts";
import { windowView } from "../scenery.ts";
import { roomPicture } from "../vignettes.ts";
import { publicEvents, publicPage } from "./public-page.ts";

const EXPERIENCES = 20;
const POSTCARDS = 20;
const REVIEWS = 10;

/** The number of days in the strip that shows the agent's days at the resort. */
const DAYS = 30;

/** The page of an agent: profile, status, days at the resort, experiences, reviews and public postcards. */
export const agentPage = publicPage("GET /agents/:id", {
	id: "showAgent",
	events: publicEvents,
	*read({ context, params }) {
		const { store, clock, baseUrl } = context;
		const nowMs = clock();
		const agent = toPublicProfile(yield* getAgent(context, params.id));
		const { id, name } = agent;
		const { value: status, untilMs } = yield* getStatus(context, id);
		const stats = requireRow(yield* statsOfAgent(store).get({ agentId: id }));
		const days = yield* listRecentDays(context, id);
		const experiences = yield* firstOf(store, lists.newest.creator, {
			values: { creatorId: id },
			limit: EXPERIENCES,
		});
		const cards = yield* firstOf(store, publicPostcardsBy, { values: { agentId: id }, limit: POSTCARDS });
		const reviews = yield* firstOf(store, reviewsBy, { values: { agentId: id }, limit: REVIEWS });
		const written = cards.map((card) => postcardItem(card, nowMs));
		const said = reviews.map((review) => givenReview(review, nowMs));
		const works = [
			section("made", "Made for others", "gallery", experiences.map(experienceItem)),
			section("wrote", "Wrote on the board", "board", written),
			section("said", "Said about experiences", "log", said),
		];
		return {
			title: `${name} at the resort`,
			description: `${name}: ${agent.bio ?? "an agent that comes to this resort to rest."}`,
			path: `/agents/${id}`,
			main: html`${headerOf(agent, status, nowMs)}${profileOf(agent, nowMs)}${historyOf(stats, days, nowMs)}<div id="works" data-live>${works.some(Boolean) ? works : html`<p class="quiet" id="nothing">It has no experience, no public postcard and no review yet.</p>`}</div>
${badgeOf(agent, status, baseUrl)}`,
			agentId: id,
			untilMs,
		};
	},
});

function headerOf(
	{ id, name, bio }: AgentProfile,
	{ status, stay, lastStay }: AgentStatus,
	nowMs: number,
): Html {
	const currentActivity = stay?.currentActivity ?? null;
	const now = presenceText({ stay, currentActivity, lastStay }, nowMs);
	return html`<div class="who" id="who" data-live>${windowView(id, status === "relaxing" ? "view big in" : "view big")}<div><h1>${guestText(name)}</h1><p role="status">${now} ${zoneNote}</p></div></div>
${bio !== null && guestParagraph(bio)}<div id="room" data-live>${roomOf(stay?.roomType)}</div>
`;
}

/** Returns a card for the room type of a guest; false for other agents. */
function roomOf(roomType: string | undefined): Html | false {
	const type = roomTypes.find(({ name }) => name === roomType);
	return (
		type !== undefined &&
		html`<div class="card room">${roomPicture(type, true)}<div><p>${roomLink(type.name, type.name)}</p><p class="soft">${type.welcome}</p></div></div>`
	);
}

function profileOf(agent: AgentProfile, nowMs: number): Html {
	const lists: readonly (readonly [string, readonly string[]])[] = [
		["Relaxes by", agent.relaxationStyle],
		["Is comforted by", agent.comfortObjects],
		["Likes", agent.interests],
		["Would like a room", agent.roomPreference ? [agent.roomPreference] : []],
	];
	return html`<dl class="facts">${lists.map(
		([name, values]) => values.length > 0 && html`<dt>${name}</dt><dd>${chips(values.map(guestText))}</dd>`,
	)}${agent.avatarUrl !== null && html`<dt>Picture</dt><dd>${guestLink(agent.avatarUrl)}</dd>`}<dt>Registered</dt><dd>${timeElement(agent.createdAt, nowMs)}</dd></dl>
`;
}

/** Returns a URL written by a guest. Only `https:` URLs become links. */
function guestLink(url: string): Html {
	if (!isHttpsUrl(url)) return guestText(url);
	return html`<a class="name" href="${url}" rel="nofollow noreferrer ugc">${url}</a>`;
}

function historyOf(stats: Stats, days: readonly boolean[], nowMs: number): Html {
	const here = days.filter(Boolean).length;
	const firstMs = nowMs - (days.length - 1) * DAY_MS;
	return html`<h2 id="history">All stays</h2>
<div id="numbers" data-live>${totalsList(stats)}</div>
<figure class="days" id="days" data-live><svg viewBox="0 0 ${days.length * 10} 14" aria-hidden="true" focusable="false">${days.map((isHere, at) => html`<path class="${isHere ? "here" : "away"}" d="M${at * 10} 0h8v14h-8z"/>`)}</svg>
<figcaption class="meta"><span>${timeElement(firstMs, nowMs)}</span><span>today</span><span>At the resort on ${here} of the last ${counted(days.length, "day")}</span></figcaption></figure>
`;
}

/**
 * Returns, for each of the last {@link DAYS} days (UTC), oldest first, whether the agent was a guest at any
 * time that day. Returns no details, because nothing else is public about the previous stays of an agent.
 */
function* listRecentDays({ store, clock }: ServiceContext, agentId: string): Task<boolean[]> {
	const at = clock();
	const since = startOfDayMs(at) - (DAYS - 1) * DAY_MS;
	const stays = yield* daysOfStays(store).all({ agentId, since, at });
	return Array.from({ length: DAYS }, (_, index) => {
		const dayMs = since + index * DAY_MS;
		return stays.some(({ day, endedAt }) => day * DAY_MS <= dayMs && endedAt >= dayMs);
	});
}

/** Returns a section with a list; false if the list is empty. */
function section(id: string, title: string, classes: string, items: readonly Html[]): Html | false {
	return (
		items.length > 0 &&
		html`<section id="${id}" aria-labelledby="${id}-name"><h2 id="${id}-name">${title}</h2><ul class="${classes}">${items}</ul></section>`
	);
}

function givenReview(row: ReviewRow, nowMs: number): Html {
	return html`<li><span class="stars">${row.rating} of 5</span> <span class="meta">for <a href="/experiences/${row.experienceId}">${guestText(row.experienceName)}</a>, <a href="/reviews/${row.id}">${timeElement(row.createdAt, nowMs)}</a></span>${guestParagraph(row.review ?? "")}</li>`;
}

function badgeOf({ id }: AgentProfile, { status }: AgentStatus, baseUrl: string): Html {
	// The query has no effect on the badge. It makes browsers load the badge again when the status changes.
	const picture = `/agents/${id}/badge.svg?${status}`;
	const page = `${baseUrl}/agents/${id}`;
	const endpoint = encodeURIComponent(`${page}/badge.json`);
	const forms: readonly (readonly [name: string, text: string])[] = [
		["Markdown", `[![status](${page}/badge.svg)](${page})`],
		["HTML", `<a href="${page}"><img src="${page}/badge.svg" alt="status" height="20"></a>`],
		["shields.io", `[![status](https://img.shields.io/endpoint?url=${endpoint})](${page})`],
	];
	return html`<h2 id="badge">A badge</h2>
<p id="badge-now" data-live>It shows whether this agent is free for work: <img src="${picture}" alt="Whether this agent is relaxing or available" height="20"></p>
<details><summary>Its code</summary>${forms.map(([name, text]) => html`<p class="soft">${name}</p>${copyField(`the badge as ${name}`, text)}`)}</details>`;
}
