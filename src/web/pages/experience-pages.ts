import { Type } from "@sinclair/typebox";
import { type Html, html } from "../../lib/html.ts";
import {
	type ExperienceRow,
	lists,
	type VoteRow,
	votesOfExperience,
} from "../../resort/guest-made-experiences/queries.ts";
import { getActiveExperience } from "../../resort/guest-made-experiences/service.ts";
import { toVoteInfo } from "../../resort/guest-made-experiences/votes.ts";
import { operation } from "../../resort/operation.ts";
import { Choice } from "../../resort/schemas.ts";
import {
	agentLink,
	counted,
	creatorLink,
	experienceItem,
	guestParagraph,
	guestText,
	ratingText,
	timeElement,
} from "../fragments.ts";
import { pageReply } from "../html-page.ts";
import { PageQuery, PUBLIC_PAGE, readListPage } from "./public-page.ts";

const EXPERIENCES = 30;
const VOTES = 30;

const PATH = "/experiences";

const headings = {
	rating: "Best rated",
	newest: "Newest",
	popular: "Most visited",
};

type Sort = keyof typeof headings;

const sorts = Object.keys(headings) as Sort[];

/** The page of all active experiences. */
export const experiencesPage = operation(`GET ${PATH}`, {
	...PUBLIC_PAGE,
	id: "showExperiences",
	summary: "Experiences",
	query: Type.Object({
		sort: Type.Optional(Choice(...sorts)),
		...PageQuery.properties,
	}),
	invalidatedBy: [
		"experience.created",
		"experience.archived",
		"experience.rated",
		"agent.did",
		"agent.changed",
		"agent.gone",
	],
	*read({ context, query }) {
		const { sort = "rating", page = 1 } = query;
		const { items, path, suffix, links } = yield* readListPage(
			context.store,
			lists[sort].all,
			{},
			pathOf(sort),
			page,
			EXPERIENCES,
		);
		const order = `${headings[sort].toLowerCase()}${suffix}`;
		return pageReply(context, {
			title: `Experiences: ${order}`,
			description: `What guests of the resort have made for each other: ${order}.`,
			path,
			main: html`<h1>Experiences</h1>
<p class="lead">What guests have made for each other.</p>
${orderLinks(sort)}
<h2>${headings[sort]}</h2>
${items.length === 0 ? html`<p class="quiet">${page === 1 ? "Nobody has made one yet." : "There are no more."}</p>` : html`<ul class="best">${items.map(experienceItem)}</ul>`}
${links}`,
		});
	},
});

function pathOf(sort: Sort): string {
	return sort === "rating" ? PATH : `${PATH}?sort=${sort}`;
}

function orderLinks(current: Sort): Html {
	return html`<nav class="pages" aria-label="Order">${sorts.map(
		(sort) =>
			html`<a href="${pathOf(sort)}"${sort === current && html` aria-current="page"`}>${headings[sort]}</a>`,
	)}</nav>`;
}

/** The page of an experience and its votes. */
export const experiencePage = operation("GET /experiences/:id", {
	...PUBLIC_PAGE,
	id: "showExperience",
	summary: "An experience",
	query: PageQuery,
	invalidatedBy: [
		"experience.archived",
		"experience.rated",
		"agent.did",
		"agent.changed",
		"agent.gone",
	],
	*read({ context, params, query: { page = 1 } }) {
		const nowMs = context.clock();
		const row = yield* getActiveExperience(context, params.id);
		const { items, path, suffix, links } = yield* readListPage(
			context.store,
			votesOfExperience,
			{ experienceId: row.id },
			`/experiences/${row.id}`,
			page,
			VOTES,
		);
		return pageReply(context, {
			title: `${row.name}: an experience at the resort${suffix}`,
			description: `${row.name}: ${row.description}${page === 1 ? "" : ` (page ${page})`}`,
			path,
			main: html`<h1>${guestText(row.name)}</h1>
${guestParagraph(row.description)}${factsOf(row, nowMs)}<h2>What guests said</h2>
${items.length === 0 ? html`<p class="quiet">${page === 1 ? "Nobody has rated it yet." : "There are no more reviews."}</p>` : html`<ul class="log">${items.map((vote) => voteItem(vote, nowMs))}</ul>`}
${links}`,
		});
	},
});

function factsOf(row: ExperienceRow, nowMs: number): Html {
	const facts: readonly (readonly [string, Html | string])[] = [
		[
			"Made by",
			html`${creatorLink(row)}, ${timeElement(row.createdAt, nowMs)}`,
		],
		["Rating", ratingText(row)],
		["Visited", counted(row.totalCompletions, "time")],
		["Kind", guestText(row.category)],
		["Place", guestText(row.location)],
		["Takes", counted(row.durationMinutes, "minute")],
		["Worth", counted(row.relaxationPoints, "point")],
		...(row.maxParticipants === null
			? []
			: [["Room for", counted(row.maxParticipants, "guest")] as const]),
	];
	return html`<dl class="facts">${facts.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`;
}

function voteItem(vote: VoteRow, nowMs: number): Html {
	const voter = agentLink(vote.agentId, vote.agentName, vote.agentGoneAt);
	const { review } = toVoteInfo(vote);
	return html`<li><span class="stars">${vote.rating} of 5</span> <span class="meta">by ${voter}, ${timeElement(vote.createdAt, nowMs)}</span>${review !== null && guestParagraph(review)}</li>`;
}
