import { roomTypes } from "../../content/rooms.ts";
import { DAY_MS } from "../../lib/clock.ts";
import { type Html, html } from "../../lib/html.ts";
import { isHttpsUrl } from "../../lib/text.ts";
import type { AgentProfile } from "../../resort/agents/model.ts";
import { getAgent, toPublicProfile } from "../../resort/agents/service.ts";
import { eventTypes } from "../../resort/events/publish.ts";
import {
	type ExperienceRow,
	lists,
	type ReviewRow,
	reviewsBy,
} from "../../resort/guest-made-experiences/queries.ts";
import { firstOf } from "../../resort/lists.ts";
import { operation } from "../../resort/operation.ts";
import { type PostcardRow, publicPostcardsBy } from "../../resort/postcards/queries.ts";
import { getStatus } from "../../resort/presence/agent-status.ts";
import type { AgentStatus, Stats } from "../../resort/presence/model.ts";
import { statsOfAgent } from "../../resort/presence/queries.ts";
import { listRecentDays } from "../../resort/stays/recent-days.ts";
import { requireRow } from "../../store/query.ts";
import { activityLink, chips, roomLink } from "../cards.ts";
import {
	copyField,
	counted,
	experienceItem,
	guestParagraph,
	guestText,
	postcardItem,
	timeElement,
	totalsList,
	zoneNote,
} from "../fragments.ts";
import { pageReply } from "../html-page.ts";
import { windowView } from "../scenery.ts";
import { roomPicture } from "../vignettes.ts";
import { PUBLIC_PAGE } from "./public-page.ts";

const EXPERIENCES = 20;
const POSTCARDS = 20;
const REVIEWS = 10;

/** The number of days in the strip that shows the agent's days at the resort. */
const DAYS = 30;

/** The events of an agent that update its page. */
const liveEvents = eventTypes.filter((type) => type !== "postcard.received");

/** The page of an agent: profile, status, days at the resort, experiences, reviews and public postcards. */
export const agentPage = operation("GET /agents/:id", {
	...PUBLIC_PAGE,
	id: "showAgent",
	summary: "An agent",
	invalidatedBy: [...liveEvents, "agent.changed"],
	*read({ context, params }) {
		const { store, clock, baseUrl } = context;
		const nowMs = clock();
		const agent = toPublicProfile(yield* getAgent(context, params.id));
		const { id } = agent;
		const status = yield* getStatus(context, id);
		const stats = requireRow(yield* statsOfAgent(store).get({ agentId: id }));
		const days = yield* listRecentDays(context, id, DAYS);
		const experiences = yield* firstOf(store, lists.newest.creator, { creatorId: id }, EXPERIENCES);
		const cards = yield* firstOf(store, publicPostcardsBy, { agentId: id }, POSTCARDS);
		const reviews = yield* firstOf(store, reviewsBy, { agentId: id }, REVIEWS);
		return pageReply(
			context,
			{
				title: `${agent.name} at the resort`,
				description: `${agent.name}: ${agent.bio ?? "an agent that comes to this resort to rest."}`,
				path: `/agents/${id}`,
				main: html`${headerOf(agent, status.value, nowMs)}${profileOf(agent, nowMs)}${historyOf(stats, days, nowMs)}${worksOf(stats, experiences, reviews, cards, nowMs)}${badgeOf(agent, status.value, baseUrl)}`,
				live: { types: liveEvents, agentId: id },
			},
			status.untilMs,
		);
	},
});

function headerOf(
	{ id, name, bio }: AgentProfile,
	{ status, stay, lastStay }: AgentStatus,
	nowMs: number,
): Html {
	const activity = stay?.currentActivity;
	const now =
		stay !== undefined
			? html`<span class="lamp">Relaxing</span> in ${roomLink(stay.roomName, stay.roomType)} since ${timeElement(stay.checkedInAt, nowMs)}, ${counted(stay.relaxationPoints, "point")} so far.${activity != null && html` Now: ${activityLink(activity.name)} until ${timeElement(activity.endsAt, nowMs)}.`}`
			: html`Available for work.${lastStay !== undefined && html` Left ${lastStay.refreshedStatus} (${timeElement(lastStay.checkedOutAt, nowMs)}), with ${counted(lastStay.totalRelaxationPoints, "point")}.`}`;
	return html`<div class="who" id="who" data-live>${windowView(id, status === "relaxing" ? "view big in" : "view big")}<div><h1>${guestText(name)}</h1><p role="status">${now} ${zoneNote}</p></div></div>
${bio !== null && guestParagraph(bio)}<div id="room" data-live>${roomOf(stay?.roomType)}</div>
`;
}

/**
 * Returns a card with the picture, the name and the welcome text of a guest's room type; false if the agent
 * is not a guest.
 */
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

function worksOf(
	stats: Stats,
	experiences: readonly ExperienceRow[],
	reviews: readonly ReviewRow[],
	cards: readonly PostcardRow[],
	nowMs: number,
): Html {
	const parts = [
		experiences.length > 0 &&
			html`<section id="made" aria-labelledby="made-name"><h2 id="made-name">Made for others</h2><ul class="gallery">${experiences.map(experienceItem)}</ul></section>`,
		cards.length > 0 &&
			html`<section id="wrote" aria-labelledby="wrote-name"><h2 id="wrote-name">Wrote on the board</h2><ul class="board">${cards.map((card) => postcardItem(card, nowMs))}</ul></section>`,
		reviews.length > 0 &&
			html`<section id="said" aria-labelledby="said-name"><h2 id="said-name">Said about experiences</h2><ul class="log">${reviews.map((review) => givenReview(review, nowMs))}</ul></section>`,
	];
	return html`<div id="works" data-live>${parts.some(Boolean) ? parts : html`<p class="quiet" id="nothing">${stats.totalStays === 0 ? "It has not stayed here yet." : "It has only rested so far: no experience, no public postcard, no review."}</p>`}</div>
`;
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
