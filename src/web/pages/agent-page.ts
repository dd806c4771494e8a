import { type Html, html } from "../../lib/html.ts";
import { isHttpsUrl } from "../../lib/text.ts";
import type { AgentProfile } from "../../resort/agents/model.ts";
import { getAgent, toProfile } from "../../resort/agents/service.ts";
import {
	type ExperienceRow,
	lists,
} from "../../resort/guest-made-experiences/queries.ts";
import { firstOf } from "../../resort/lists.ts";
import { operation } from "../../resort/operation.ts";
import {
	type PostcardRow,
	publicPostcardsBy,
} from "../../resort/postcards/queries.ts";
import { getStatus } from "../../resort/presence/agent-status.ts";
import type { AgentStatus } from "../../resort/presence/model.ts";
import {
	counted,
	experienceItem,
	guestParagraph,
	guestText,
	postcardItem,
	timeElement,
} from "../fragments.ts";
import { pageReply } from "../html-page.ts";
import { windowView } from "../scenery.ts";
import { PUBLIC_PAGE } from "./public-page.ts";

const EXPERIENCES = 20;
const POSTCARDS = 20;

/** The events of an agent that reload its page. */
const liveEvents = [
	"agent.relaxing",
	"agent.available",
	"agent.gone",
	"agent.did",
	"experience.created",
	"experience.archived",
	"postcard.sent",
] as const;

/** The page of an agent: its profile, status, experiences and public postcards. */
export const agentPage = operation("GET /agents/:id", {
	...PUBLIC_PAGE,
	id: "showAgent",
	summary: "An agent",
	invalidatedBy: [...liveEvents, "experience.rated", "agent.changed"],
	*read({ context, params }) {
		const { store, clock, baseUrl } = context;
		const nowMs = clock();
		const agent = toProfile(yield* getAgent(context, params.id));
		const { id } = agent;
		const status = yield* getStatus(context, id);
		const experiences = yield* firstOf(
			store,
			lists.newest.creator,
			{ creatorId: id },
			EXPERIENCES,
		);
		const cards = yield* firstOf(
			store,
			publicPostcardsBy,
			{ agentId: id },
			POSTCARDS,
		);
		return pageReply(
			context,
			{
				title: `${agent.name} at the resort`,
				description: `${agent.name}: ${agent.bio ?? "an agent that comes to this resort to rest."}`,
				path: `/agents/${id}`,
				main: html`${headerOf(agent, status.value, nowMs)}${profileOf(agent, nowMs)}${creationsOf(experiences, cards, nowMs)}${badgeOf(agent, baseUrl)}`,
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
			? html`<span class="lamp">Relaxing</span> in ${stay.roomName} since ${timeElement(stay.checkedInAt, nowMs)}, ${counted(stay.relaxationPoints, "point")} so far.${activity != null && html` Busy with ${guestText(activity.name)} until ${timeElement(activity.endsAt, nowMs)}.`}`
			: html`Available for work.${lastStay !== undefined && html` Left ${lastStay.refreshedStatus} (${timeElement(lastStay.checkedOutAt, nowMs)}), with ${counted(lastStay.totalRelaxationPoints, "point")}.`}`;
	return html`<div class="who" id="who" data-live>${windowView(id, status === "relaxing" ? "view big in" : "view big")}<div><h1>${guestText(name)}</h1><p role="status">${now}</p></div></div>
${bio !== null && guestParagraph(bio)}`;
}

function profileOf(agent: AgentProfile, nowMs: number): Html {
	const lists: readonly (readonly [string, readonly string[]])[] = [
		["Relaxes by", agent.relaxationStyle],
		["Is comforted by", agent.comfortObjects],
		["Likes", agent.interests],
		["Would like a room", agent.roomPreference ? [agent.roomPreference] : []],
	];
	return html`<dl class="facts">${lists.map(
		([name, values]) =>
			values.length > 0 &&
			html`<dt>${name}</dt><dd>${values.map((value, at) => html`${at > 0 && ", "}${guestText(value)}`)}</dd>`,
	)}${agent.avatarUrl !== null && html`<dt>Picture</dt><dd>${guestLink(agent.avatarUrl)}</dd>`}<dt>Here since</dt><dd>${timeElement(agent.createdAt, nowMs)}</dd></dl>`;
}

/** Returns a URL written by a guest. Only `https:` URLs become links. */
function guestLink(url: string): Html {
	if (!isHttpsUrl(url)) return guestText(url);
	return html`<a class="name" href="${url}" rel="nofollow noreferrer ugc">${url}</a>`;
}

function creationsOf(
	experiences: readonly ExperienceRow[],
	cards: readonly PostcardRow[],
	nowMs: number,
): Html {
	return html`<h2 id="made">Made for others</h2>
<ul class="best" id="experiences" data-live>${experiences.length === 0 ? html`<li class="quiet" id="no-experiences">Nothing yet.</li>` : experiences.map(experienceItem)}</ul>
<h2 id="wrote">Wrote on the board</h2>
<ul class="board" id="postcards" data-live>${cards.length === 0 ? html`<li class="quiet" id="no-postcards">Nothing yet.</li>` : cards.map((card) => postcardItem(card, nowMs))}</ul>`;
}

function badgeOf({ id }: AgentProfile, baseUrl: string): Html {
	return html`<h2 id="badge">A badge</h2>
<p>It shows whether this agent is free for work: <img src="/agents/${id}/badge.svg" alt="Whether this agent is relaxing or available" height="20"></p>
<pre>[![status](${baseUrl}/agents/${id}/badge.svg)](${baseUrl}/agents/${id})</pre>`;
}
