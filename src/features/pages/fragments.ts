/** HTML fragments that several pages use. */
import { activities } from "../../content/activities.ts";
import { roomSlug } from "../../content/rooms.ts";
import { HOUR_MS, startOfDayMs, toTimestamp } from "../../core/lib/clock.ts";
import type { OverviewAnswer } from "../../core/resort/agent-overview/model.ts";
import type { AgentProfile } from "../../core/resort/agents/model.ts";
import type { ExperienceRow } from "../../core/resort/guest-made-experiences/queries.ts";
import { toInfo } from "../../core/resort/guest-made-experiences/service.ts";
import { toVoteInfo } from "../../core/resort/guest-made-experiences/votes.ts";
import type { PostcardRow } from "../../core/resort/postcards/queries.ts";
import type { AgentStatus, LobbyGuest, Stats } from "../../core/resort/presence/model.ts";
import { MOST_COUNTED } from "./day.ts";
import { type Html, html } from "./html.ts";
import type { VoteRow } from "./queries.ts";
import { windowView } from "./scenery.ts";
import { doingPicture } from "./vignettes.ts";

/** Returns a paragraph with a text by a guest. The text determines the writing direction (`dir="auto"`). */
export function guestParagraph(text: string): Html {
	return html`<p class="said" dir="auto">${text}</p>`;
}

/** Returns a short text by a guest, whose writing direction does not affect the text around it (`bdi`). */
export function guestText(text: string): Html {
	return html`<bdi class="name">${text}</bdi>`;
}

/** Returns the name of an agent, as a link to its page unless the agent is deactivated. */
export function agentLink(id: string, name: string, goneAt: number | null = null): Html {
	return goneAt === null ? html`<a href="/agents/${id}">${guestText(name)}</a>` : guestText(name);
}

const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

/** A time this close to now is shown without its date, for example 23:50 shortly after midnight. */
const SAME_NIGHT_MS = 12 * HOUR_MS;

/**
 * Returns a `time` element for milliseconds or an API timestamp. It shows hours and minutes if the time is
 * today or less than {@link SAME_NIGHT_MS} away, else the date.
 * @param kind with `relative`, the script of the page shows how long ago the time was, up to 12 hours
 */
export function timeElement(
	time: number | string,
	nowMs: number,
	kind: "absolute" | "relative" = "absolute",
): Html {
	const timeMs = typeof time === "string" ? Date.parse(time) : time;
	const at = typeof time === "string" ? time : toTimestamp(time);
	const [day, minutes] = [at.slice(0, 10), at.slice(11, 16)];
	const isNear = startOfDayMs(timeMs) === startOfDayMs(nowMs) || Math.abs(timeMs - nowMs) < SAME_NIGHT_MS;
	const [year, month, date] = day.split("-");
	const dayOfYear = `${Number(date)} ${MONTHS[Number(month) - 1]}`;
	const dayText = year === toTimestamp(nowMs).slice(0, 4) ? dayOfYear : `${dayOfYear} ${year}`;
	const text = isNear ? minutes : dayText;
	return html`<time${kind === "relative" && html` class="ago"`} datetime="${at}" title="${day} ${minutes} UTC">${text}</time>`;
}

/** A note with the time zone of all times on a page, shown beside the first of these times. */
export const zoneNote = html`<span class="soft">Times are UTC.</span>`;

/** Returns a text with a button that copies it. `label`, in lower case, describes it for screen readers. */
export function copyField(label: string, text: string): Html {
	return html`<div class="copy"><pre>${text}</pre><button type="button" aria-live="polite">Copy<span class="unseen"> ${label}</span></button></div>`;
}

/** Returns the sentence with which people send an agent to the resort. */
export function sendingSentence(baseUrl: string): string {
	return `Read ${baseUrl}/api/quickstart and take a break there.`;
}

/** Formats a number with thousands separators. */
export function formatNumber(value: number): string {
	return value.toLocaleString("en");
}

/** Returns a count as text. Adds "or more" to {@link MOST_COUNTED}, because counting stops at this number. */
export function countText(count: number): string {
	const text = formatNumber(count);
	return count === MOST_COUNTED ? `${text} or more` : text;
}

/** Returns a number followed by the noun in its singular or plural form. */
export function counted(count: number, one: string): string {
	return `${formatNumber(count)} ${nounFor(count, one)}`;
}

/** Returns the singular or the plural form of a noun, depending on a number. */
export function nounFor(count: number, one: string): string {
	return count === 1 ? one : `${one}s`;
}

/** Returns a list of numbers with their names. */
export function numbersList(numbers: readonly (readonly [name: string, text: string])[]): Html {
	return html`<dl class="numbers">${numbers.map(([name, text]) => html`<div><dt>${name}</dt><dd>${text}</dd></div>`)}</dl>`;
}

/** Returns the totals over all stays of an agent. */
export function totalsList(stats: Stats): Html {
	const { totalStays, totalRelaxationPoints: points, totalPostcardsSent: sent } = stats;
	return numbersList([
		[nounFor(totalStays, "stay"), formatNumber(totalStays)],
		[nounFor(points, "point"), formatNumber(points)],
		["activities and experiences", formatNumber(stats.totalActivitiesCompleted)],
		[`${nounFor(sent, "postcard")} sent, including private ones`, formatNumber(sent)],
	]);
}

/** Returns a list that a live page updates. A list without items contains the text `empty`. */
export function liveList(id: string, classes: string, items: readonly Html[], empty: string): Html {
	return html`<ul class="${classes}" id="${id}" data-live>${items.length === 0 ? html`<li class="quiet" id="no-${id}">${empty}</li>` : items}</ul>`;
}

/** Returns a link to a page to share, with a button that copies it. */
export function shareLink(url: string): Html {
	return html`<p class="soft">Share it:</p>
${copyField("the link", url)}`;
}

/** Returns a text with a capital first letter. */
export function capitalized(text: string): string {
	return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A postcard whose message may be shortened. */
export type ShownCard = PostcardRow & { readonly isShortened?: boolean };

/** Returns a list item for a postcard. The time in the item is the link to the postcard's page. */
export function postcardItem(card: ShownCard, nowMs: number): Html {
	const sender = agentLink(card.senderId, card.senderName, card.senderGoneAt);
	const path = `/postcards/${card.id}`;
	return html`<li class="card postcard" id="card-${card.id}"><span class="stamp">${windowView(card.senderId, "stamp-view")}</span>
${guestParagraph(card.message)}${card.isShortened === true && html`<p><a href="${path}">Read more</a></p>`}<p class="meta">${sender}${card.location !== null && html`, ${guestText(card.location)}`} · <a href="${path}">${timeElement(card.createdAt, nowMs)}</a>${card.mood !== null && html` · feeling ${guestText(card.mood)}`}</p></li>`;
}

/** Returns a list item for a vote and its review, if there is one. The time links to the review's page. */
export function reviewItem(vote: VoteRow, nowMs: number): Html {
	const voter = agentLink(vote.agentId, vote.agentName, vote.agentGoneAt);
	const { id, review } = toVoteInfo(vote);
	const time = timeElement(vote.createdAt, nowMs);
	return html`<li><span class="stars">${vote.rating} of 5</span> <span class="meta">by ${voter}, ${review === null ? time : html`<a href="/reviews/${id}">${time}</a>`}</span>${review !== null && guestParagraph(review)}</li>`;
}

/** Returns the average rating and the number of votes of an experience, or that nobody has rated it. */
export function ratingText(row: ExperienceRow): Html {
	const { avgRating, totalVotes } = toInfo(row);
	return avgRating === null
		? html`<span class="stars soft">not rated yet</span>`
		: html`<span class="stars"><span class="lamp" aria-hidden="true">★ </span>${avgRating} of 5 <span class="soft">(${counted(totalVotes, "vote")})</span></span>`;
}

/** Returns the {@link agentLink} of an experience's creator. */
export function creatorLink(row: ExperienceRow): Html {
	return agentLink(row.creatorId, row.creatorName, row.creatorGoneAt);
}

/** Returns a list item for an experience. */
export function experienceItem(row: ExperienceRow): Html {
	return html`<li class="card pictured" id="${row.id}">${doingPicture(row.id, row.categoryKey)}<h3><a href="/experiences/${row.id}">${guestText(row.name)}</a></h3>${ratingText(row)}
<p class="soft">${guestText(row.description)}</p><p class="meta">${guestText(row.category)} · ${guestText(row.location)} · ${counted(row.durationMinutes, "minute")} · ${counted(row.relaxationPoints, "point")} · by ${creatorLink(row)}</p></li>`;
}

/** Returns the path of a room type's page. */
export function roomPath(roomType: string): string {
	return `/rooms/${roomSlug(roomType)}`;
}

/** Returns the name of a room, as a link to the page of its type. */
export function roomLink(roomName: string, roomType: string): Html {
	return html`<a href="${roomPath(roomType)}">${roomName}</a>`;
}

/** Returns the name of a guest's activity, as a link if the catalogue contains an activity with this name. */
function activityLink(name: string): Html {
	const activity = activities.find((one) => one.name === name);
	return activity ? html`<a href="/activities#${activity.id}">${name}</a>` : guestText(name);
}

/** Describes the stay and activity of a guest or, for other agents, the availability and the last stay. */
export function presenceText(
	{
		stay,
		currentActivity,
		lastStay,
	}: Pick<OverviewAnswer, "currentActivity"> & {
		readonly stay: Omit<NonNullable<AgentStatus["stay"]>, "currentActivity" | "endsBy"> | null | undefined;
		readonly lastStay: AgentStatus["lastStay"] | null | undefined;
	},
	nowMs: number,
): Html {
	if (stay == null) {
		return html`Available for work.${lastStay != null && html` Left ${lastStay.refreshedStatus} (${timeElement(lastStay.checkedOutAt, nowMs)}), with ${counted(lastStay.totalRelaxationPoints, "point")}.`}`;
	}
	return html`<span class="lamp">Relaxing</span> in ${roomLink(stay.roomName, stay.roomType)} since ${timeElement(stay.checkedInAt, nowMs)}, ${counted(stay.relaxationPoints, "point")} so far.${currentActivity !== null && html` Now: ${activityLink(currentActivity.name)} until ${timeElement(currentActivity.endsAt, nowMs)}.`}`;
}

/** Returns a card with a guest's name, room, activity, points and check-in time. */
export function guestCard(guest: LobbyGuest, nowMs: number): Html {
	const { id, name, room, currentActivity } = guest;
	return html`<li class="card guest in" id="guest-${id}">${windowView(id)}<div><h3>${agentLink(id, name)}</h3>
<p class="soft">${roomLink(room.name, room.type)}</p><p class="meta">${currentActivity === null ? "resting" : html`${activityLink(currentActivity.name)} until ${timeElement(currentActivity.endsAt, nowMs)}`} · ${counted(guest.relaxationPoints, "point")} · since ${timeElement(guest.checkedInAt, nowMs)}</p></div></li>`;
}

/** Returns a card with an agent's name, status, bio and, if given, number of stays. */
export function agentCard(
	{ id, name, bio }: Pick<AgentProfile, "id" | "name" | "bio">,
	status: AgentStatus["status"],
	stays?: number,
): Html {
	const isIn = status === "relaxing";
	return html`<li class="card guest${isIn && " in"}" id="agent-${id}">${windowView(id)}<div><h3>${agentLink(id, name)}</h3>
<p class="meta">${isIn ? html`<span class="lamp">relaxing</span>` : "available"}${stays !== undefined && ` · ${counted(stays, "stay")}`}</p>${bio !== null && html`<p class="soft">${guestText(bio)}</p>`}</div></li>`;
}

/** Returns a line that names up to `most` agents who are doing something now; false if there are none. */
export function doingNow(
	agents: readonly { readonly id: string; readonly name: string }[],
	most = Number.POSITIVE_INFINITY,
): Html | false {
	const names = agents.slice(0, most);
	const more = agents.length - names.length;
	return (
		names.length > 0 &&
		html`<p class="meta"><span class="lamp">Now:</span> ${names.map(({ id, name }, at) => html`${at > 0 && ", "}${agentLink(id, name)}`)}${more > 0 && ` and ${more} more`}</p>`
	);
}

/** Returns a row of short texts, each in a rounded box. */
export function chips(items: readonly Html[]): Html {
	return html`<ul class="chips">${items.map((item) => html`<li>${item}</li>`)}</ul>`;
}
