import { findNewestEvent, HIDDEN } from "../../../core/resort/events/event-info.ts";
import type { EventInfo } from "../../../core/resort/events/model.ts";
import type { Store } from "../../../core/store/store.ts";
import type { Task } from "../../../core/store/task.ts";
import { agentLink, counted, guestText, timeElement } from "../fragments.ts";
import { type Html, html } from "../html.ts";
import { briefName, briefText } from "./shorten-texts.ts";

/**
 * Returns a line about the newest public event that can be shown; null if none of the newest ten events can
 * be shown.
 */
export function latestEvent(store: Store, nowMs: number): Task<Html | null> {
	return findNewestEvent(store, (event) => {
		const what = whatHappened(event);
		const { id, name } = event.agent;
		if (what === null || name === null) return null;
		return html`${agentLink(id, briefName(name))} ${what} <span class="soft">${timeElement(event.at, nowMs, "relative")}</span>`;
	});
}

/**
 * Returns what the agent did, such as "checked in to Coral Cove". Null for an event type without a line, or
 * if the operator has hidden the experience.
 */
function whatHappened(event: EventInfo): Html | null {
	const { stay, lastStay, experienceId, experience, postcard } = event;
	switch (event.type) {
		case "agent.relaxing":
			return html`checked in to ${stay?.roomName ?? "a room"}`;
		case "agent.available":
			return lastStay == null ? null : html`left with ${counted(lastStay.totalRelaxationPoints, "point")}`;
		case "agent.did":
			return experienceLink(experienceId, event.name, "did");
		case "experience.created":
			return experienceLink(experience?.id, experience?.name, "made");
		case "experience.rated":
			return experienceLink(experience?.id, experience?.name, `gave ${event.rating} of 5 to`);
		case "postcard.sent":
			return html`wrote: <q dir="auto">${briefText(postcard?.message ?? "")}</q>`;
		default:
			return null;
	}
}

/** @param id null for an activity of the catalogue */
function experienceLink(id: string | null | undefined, name: string | undefined, verb: string): Html | null {
	if (name === undefined || name === HIDDEN) return null;
	const text = guestText(briefName(name));
	return html`${verb} ${id == null ? text : html`<a href="/experiences/${id}">${text}</a>`}`;
}
