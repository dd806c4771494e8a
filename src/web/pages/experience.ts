import { Type } from "@sinclair/typebox";
import { type Html, html } from "../../lib/html.ts";
import {
	type ExperienceRow,
	type VoteRow,
	votesOfExperience,
} from "../../resort/experiences/queries.ts";
import { getActiveExperience } from "../../resort/experiences/service.ts";
import { shownReview } from "../../resort/experiences/votes.ts";
import { firstOf } from "../../resort/lists.ts";
import { operation } from "../../resort/operation.ts";
import { skyAt } from "../light.ts";
import { pageReply } from "../page.ts";
import { PAGE, PageNumber, pageOf } from "../page-operation.ts";
import {
	agentLink,
	counted,
	creatorLink,
	moment,
	paging,
	rating,
	said,
	withPage,
	word,
} from "../parts.ts";
import { seaScene } from "../scene.ts";

const VOTES = 30;

/** An experience, and what guests said of it. */
export const experiencePage = operation({
	...PAGE,
	id: "showExperience",
	path: "/experiences/:id",
	summary: "An experience",
	query: Type.Object({ page: PageNumber }),
	failures: [404],
	invalidatedBy: [
		"experience.archived",
		"experience.rated",
		"agent.did",
		"agent.changed",
		"agent.gone",
	],
	*read({ context, params, query: { page = 1 } }) {
		const { store, clock, baseUrl } = context;
		const nowMs = clock();
		const sky = skyAt(nowMs);
		const row = yield* getActiveExperience(context, params.id);
		const votes = yield* pageOf(page, VOTES, (limit, offset) =>
			firstOf(
				store,
				votesOfExperience,
				{ experienceId: row.id },
				limit,
				offset,
			),
		);
		const path = `/experiences/${row.id}`;
		return pageReply(
			{
				title: `${row.name}: an experience at the resort${page === 1 ? "" : `, page ${page}`}`,
				description: `${row.name}: ${row.description}${page === 1 ? "" : ` (page ${page})`}`,
				path: withPage(path, page),
				baseUrl,
				sky,
				scene: seaScene(sky),
				main: html`<h1>${word(row.name)}</h1>
${said(row.description)}${factsOf(row, nowMs)}<h2>What guests said</h2>
${votes.items.length === 0 ? html`<p class="quiet">${page === 1 ? "Nobody has rated it yet." : "Nobody said more."}</p>` : html`<ul class="log">${votes.items.map((vote) => voteItem(vote, nowMs))}</ul>`}
${paging(path, page, votes.hasMore)}`,
			},
			() => sky.untilMs,
		);
	},
});

function factsOf(row: ExperienceRow, nowMs: number): Html {
	const facts: readonly (readonly [string, Html | string])[] = [
		["Made by", html`${creatorLink(row)}, ${moment(row.createdAt, nowMs)}`],
		["Rating", rating(row)],
		["Visited", counted(row.totalCompletions, "time")],
		["Kind", word(row.category)],
		["Place", word(row.location)],
		["Takes", counted(row.durationMinutes, "minute")],
		["Worth", counted(row.relaxationPoints, "point")],
		...(row.maxParticipants === null
			? []
			: [["Room for", counted(row.maxParticipants, "guest")] as const]),
	];
	return html`<dl class="facts">${facts.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`;
}

function voteItem(vote: VoteRow, nowMs: number): Html {
	const voter = {
		id: vote.agentId,
		name: vote.agentName,
		goneAt: vote.agentGoneAt,
	};
	const review = shownReview(vote);
	return html`<li><span class="stars">${vote.rating} of 5</span> <span class="meta">by ${agentLink(voter)}, ${moment(vote.createdAt, nowMs)}</span>${review !== null && said(review)}</li>`;
}
