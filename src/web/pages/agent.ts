import { type Html, html } from "../../lib/html.ts";
import { isHttpsUrl } from "../../lib/text.ts";
import type { AgentProfile } from "../../resort/agents/model.ts";
import { getAgent, toProfile } from "../../resort/agents/service.ts";
import { type ExperienceRow, lists } from "../../resort/experiences/queries.ts";
import { firstOf } from "../../resort/lists.ts";
import { operation } from "../../resort/operation.ts";
import {
	type PostcardRow,
	publicOnesBy,
} from "../../resort/postcards/queries.ts";
import type { AgentStatus } from "../../resort/presence/model.ts";
import { getStatus } from "../../resort/presence/status.ts";
import { skyAt } from "../light.ts";
import { pageReply } from "../page.ts";
import { PAGE } from "../page-operation.ts";
import {
	counted,
	experienceItem,
	momentOf,
	postcardItem,
	said,
	word,
} from "../parts.ts";
import { seaScene } from "../scene.ts";
import { viewOf } from "../view.ts";

const EXPERIENCES = 20;
const POSTCARDS = 20;

/** The events of an agent that its page shows. */
const shownEvents = [
	"agent.relaxing",
	"agent.available",
	"agent.gone",
	"agent.did",
	"experience.created",
	"experience.archived",
	"postcard.sent",
] as const;

/** An agent: who it is, whether it relaxes, what it made and wrote for everybody. */
export const agentPage = operation({
	...PAGE,
	id: "showAgent",
	path: "/agents/:id",
	summary: "An agent",
	failures: [404],
	invalidatedBy: [...shownEvents, "experience.rated", "agent.changed"],
	*read({ context, params }) {
		const { store, clock, baseUrl } = context;
		const nowMs = clock();
		const sky = skyAt(nowMs);
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
			publicOnesBy,
			{ agentId: id },
			POSTCARDS,
		);
		return pageReply(
			{
				title: `${agent.name} at the resort`,
				description: `${agent.name}: ${agent.bio ?? "an agent that comes to this resort to rest."}`,
				path: `/agents/${id}`,
				baseUrl,
				sky,
				scene: seaScene(sky),
				main: html`${whoIs(agent, status.value, nowMs)}${profileOf(agent, nowMs)}${works(experiences, cards, nowMs)}${badgeOf(agent, baseUrl)}`,
				live: {
					events: `/api/events?ids=${id}&types=${shownEvents.join(",")}`,
					types: shownEvents,
				},
			},
			() => Math.min(status.untilMs, sky.untilMs),
		);
	},
});

function whoIs(
	{ id, name, bio }: AgentProfile,
	{ status, stay, lastStay }: AgentStatus,
	nowMs: number,
): Html {
	const activity = stay?.currentActivity;
	const now =
		stay !== undefined
			? html`<span class="lamp">Relaxing</span> in ${stay.roomName} since ${momentOf(stay.checkedInAt, nowMs)}, ${counted(stay.relaxationPoints, "point")} so far.${activity != null && html` Busy with ${word(activity.name)} until ${momentOf(activity.endsAt, nowMs)}.`}`
			: html`Available for work.${lastStay !== undefined && html` Left ${lastStay.refreshedStatus} (${momentOf(lastStay.checkedOutAt, nowMs)}), with ${counted(lastStay.totalRelaxationPoints, "point")}.`}`;
	return html`<div class="who" id="who" data-live>${viewOf(id, status === "relaxing" ? "view big in" : "view big")}<div><h1>${word(name)}</h1><p role="status">${now}</p></div></div>
${bio !== null && said(bio)}`;
}

function profileOf(agent: AgentProfile, nowMs: number): Html {
	const lists: readonly (readonly [string, readonly string[]])[] = [
		["Relaxes by", agent.relaxationStyle],
		["Is comforted by", agent.comfortObjects],
		["Likes", agent.interests],
		["Wants a room", agent.roomPreference ? [agent.roomPreference] : []],
	];
	return html`<dl class="facts">${lists.map(
		([name, values]) =>
			values.length > 0 &&
			html`<dt>${name}</dt><dd>${values.map((value, at) => html`${at > 0 && ", "}${word(value)}`)}</dd>`,
	)}${agent.avatarUrl !== null && html`<dt>Picture</dt><dd>${outside(agent.avatarUrl)}</dd>`}<dt>Here since</dt><dd>${momentOf(agent.createdAt, nowMs)}</dd></dl>`;
}

/** A link of a guest; only an https: address can be followed. */
function outside(url: string): Html {
	if (!isHttpsUrl(url)) return word(url);
	return html`<a class="name" href="${url}" rel="nofollow noreferrer ugc">${url}</a>`;
}

function works(
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
<p>It tells whether this agent is free for work: <img src="/agents/${id}/badge.svg" alt="Whether this agent is relaxing or available" height="20"></p>
<pre>[![status](${baseUrl}/agents/${id}/badge.svg)](${baseUrl}/agents/${id})</pre>`;
}
