/** Cards and links of agents, rooms, activities and experiences. */
import { activities } from "../../content/activities.ts";
import { roomSlug } from "../../content/rooms.ts";
import { once } from "../../core/lib/once.ts";
import type { OverviewAnswer } from "../../core/resort/agent-overview/model.ts";
import type { AgentStatus, LobbyGuest } from "../../core/resort/presence/model.ts";
import { agentLink, counted, guestText, timeElement } from "./fragments.ts";
import { type Html, html } from "./html.ts";
import { windowView } from "./scenery.ts";

/** Returns the path of a room type's page. */
export function roomPath(roomType: string): string {
	return `/rooms/${roomSlug(roomType)}`;
}

/** Returns the name of a room, as a link to the page of its type. */
export function roomLink(roomName: string, roomType: string): Html {
	return html`<a href="${roomPath(roomType)}">${roomName}</a>`;
}

const activityIds = once(() => new Map(activities.map(({ id, name }) => [name, id])));

/** Returns the name of a guest's activity, as a link if the catalogue contains an activity with this name. */
export function activityLink(name: string): Html {
	const id = activityIds().get(name);
	return id === undefined ? guestText(name) : html`<a href="/activities#${id}">${name}</a>`;
}

/** Describes the stay of an agent with its activity, or that it is available and how its last stay ended. */
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

/**
 * Returns a card with an agent's name and status, a line about the agent and, if given, the number of its
 * stays.
 */
export function agentCard(
	{ id, name }: { readonly id: string; readonly name: string },
	status: AgentStatus["status"],
	about: Html | string | null,
	stays?: number,
): Html {
	const isIn = status === "relaxing";
	return html`<li class="card guest${isIn && " in"}" id="agent-${id}">${windowView(id)}<div><h3>${agentLink(id, name)}</h3>
<p class="meta">${isIn ? html`<span class="lamp">relaxing</span>` : "available"}${stays !== undefined && ` · ${counted(stays, "stay")}`}</p>${about !== null && html`<p class="soft">${about}</p>`}</div></li>`;
}

/**
 * Returns a line with the agents who are doing something now; false if there are none.
 * @param most the maximum number of names
 */
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
