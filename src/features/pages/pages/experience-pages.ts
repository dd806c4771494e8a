import { Type } from "@sinclair/typebox";
import { ResortError } from "../../../core/lib/resort-error.ts";
import { findAgent, toPublicProfile } from "../../../core/resort/agents/service.ts";
import {
	categoryKey,
	type ExperienceRow,
	lists,
	ranking,
	votesOfExperience,
} from "../../../core/resort/guest-made-experiences/queries.ts";
import { getActiveExperience } from "../../../core/resort/guest-made-experiences/service.ts";
import { toVoteInfo } from "../../../core/resort/guest-made-experiences/votes.ts";
import { firstOf } from "../../../core/resort/lists.ts";
import { getStatus } from "../../../core/resort/presence/agent-status.ts";
import { Choice } from "../../../core/resort/schemas.ts";
import type { ServiceContext } from "../../../core/resort/service-context.ts";
import { changesAt, type Timed } from "../../../core/resort/stays/service.ts";
import { requireRow } from "../../../core/store/query.ts";
import type { Store } from "../../../core/store/store.ts";
import type { Task } from "../../../core/store/task.ts";
import { MOST_COUNTED } from "../day.ts";
import {
	agentCard,
	agentLink,
	chips,
	counted,
	creatorLink,
	doingNow,
	experienceItem,
	formatNumber,
	guestParagraph,
	guestText,
	liveList,
	ratingText,
	reviewItem,
	shareLink,
	timeElement,
	zoneNote,
} from "../fragments.ts";
import { type Html, html } from "../html.ts";
import { guestsDoing, ratingCounts, reviewById, usualCategories, type VoteRow } from "../queries.ts";
import { doingPicture } from "../vignettes.ts";
import { PageQuery, publicPage, readListPage, withQuery } from "./public-page.ts";

const EXPERIENCES = 30;
const VOTES = 30;
const CATEGORIES = 12;

/** The number of experiences that the page of an experience suggests. */
const SUGGESTED = 4;

/** How many of the newest completions of an experience are examined to find the guests who do it now. */
const COMPLETIONS = 50;

/** How many of the newest votes for an experience are searched for the best review. */
const REVIEWS = 100;

/** The possible ratings, the best first. */
const RATINGS = [5, 4, 3, 2, 1] as const;

const PATH = "/experiences";

const orders = {
	rating: { heading: "Best rated", list: ranking },
	newest: { heading: "Newest", list: lists.newest },
	popular: { heading: "Most often done", list: lists.popular },
};

type Sort = keyof typeof orders;

const sorts = Object.keys(orders) as Sort[];

const listEvents = [
	"experience.created",
	"experience.archived",
	"experience.rated",
	"agent.did",
	"agent.gone",
] as const;

/** The page of all active experiences, or of the active experiences in a category. */
export const experiencesPage = publicPage(`GET ${PATH}`, {
	id: "showExperiences",
	query: Type.Object({
		category: Type.Optional(Type.String()),
		sort: Type.Optional(Choice(...sorts)),
		...PageQuery.properties,
	}),
	events: listEvents,
	*read({ context: { store }, query }) {
		const { category = "", sort = "rating", page = 1 } = query;
		const key = categoryKey(category);
		const { heading, list } = orders[sort];
		const usual = yield* usualCategories(store).all({ limit: CATEGORIES });
		const { items, path, suffix, links } = yield* readListPage(store, {
			list: key === "" ? list.all : list.category,
			values: { category: key },
			path: pathOf(key, sort),
			page,
			size: EXPERIENCES,
		});
		// Does not show the category from the URL unless an experience has it, because anybody can write any
		// text into a link.
		const label = key === "" ? null : (items[0]?.category ?? "this category");
		const order = `${heading.toLowerCase()}${label === null ? "" : ` in ${label}`}${suffix}`;
		const categoryLinks = [
			linkTo("", sort, "All", key === ""),
			...usual.map((one) => {
				const count = html` <span class="soft">${formatNumber(one.count)}</span>`;
				return linkTo(one.key, sort, html`${guestText(one.category)}${count}`, one.key === key);
			}),
			label !== null && usual.every((one) => one.key !== key) && linkTo(key, sort, guestText(label), true),
		];
		return {
			title: `Experiences: ${order}`,
			description: `What guests of the resort have made for each other: ${order}.`,
			path,
			isIndexed: key === "" || items.length > 0,
			main: html`<h1>Experiences</h1>
<p class="lead">What guests have made for each other. The resort itself offers <a href="/activities">activities</a>.</p>
<nav aria-label="Categories">${chips(categoryLinks.filter((link) => link !== false))}</nav>
<nav class="pages" aria-label="Order">${sorts.map((one) => linkTo(key, one, orders[one].heading, one === sort))}</nav>
<h2>${heading}${label !== null && html` in ${guestText(label)}`}</h2>
${sort === "rating" && html`<p class="soft">The number of votes counts too: one vote of 5 ranks below ten votes of 4.</p>`}
${liveList("made", "gallery", items.map(experienceItem), page === 1 ? "Nobody has made one yet." : "There are no more.")}
<div id="links" data-live>${links}</div>`,
		};
	},
});

function pathOf(category: string, sort: Sort): string {
	return withQuery(PATH, { category, sort: sort === "rating" ? "" : sort });
}

function linkTo(category: string, sort: Sort, label: Html | string, isCurrent: boolean): Html {
	return html`<a href="${pathOf(category, sort)}"${isCurrent && html` aria-current="true"`}>${label}</a>`;
}

/** The page of an experience: its votes, its creator, the guests who are doing it, and suggestions. */
export const experiencePage = publicPage("GET /experiences/:id", {
	id: "showExperience",
	query: PageQuery,
	events: [...listEvents, "agent.relaxing", "agent.available"],
	*read({ context, params, query: { page = 1 } }) {
		const { store, clock } = context;
		const nowMs = clock();
		const row = yield* getActiveExperience(context, params.id);
		const { id } = row;
		const { items, path, suffix, links } = yield* readListPage(store, {
			list: votesOfExperience,
			values: { experienceId: id },
			path: `${PATH}/${id}`,
			page,
			size: VOTES,
		});
		const counts = requireRow(yield* ratingCounts(store).get({ id, most: MOST_COUNTED }));
		const best = yield* bestReview(store, id);
		const values = { experienceId: id, at: nowMs };
		const doing = yield* firstOf(store, guestsDoing, { values, limit: COMPLETIONS });
		const guests = new Map(doing.map((guest) => [guest.id, guest]));
		const maker = yield* makerCard(context, row);
		const next = yield* suggestionsFor(context, row);
		return {
			title: `${row.name}: an experience at the resort${suffix}`,
			description: `${row.name}: ${row.description}${page === 1 ? "" : ` (page ${page})`}`,
			path,
			main: html`<div class="spread"><div class="poster">${doingPicture(id, row.categoryKey)}</div><div><h1>${guestText(row.name)}</h1>
${guestParagraph(row.description)}${factsOf(row, nowMs)}<div id="doing" data-live>${doingNow([...guests.values()])}</div></div></div>
<div id="quote" data-live>${row.totalVotes > 1 && best !== undefined && quoteOf(best)}</div>
<h2 id="reviews">What guests said</h2>
<div id="ratings" data-live>${row.totalVotes > 0 && distribution(counts)}</div>
<div id="votes" data-live>${items.length === 0 ? html`<p class="quiet">${page === 1 ? "Nobody has rated it yet." : "There are no more reviews."}</p>` : html`<ul class="log" id="said">${items.map((vote) => reviewItem(vote, nowMs))}</ul>`}</div>
<div id="links" data-live>${links}</div>
<h2 id="maker">Who made it</h2>
<ul class="grid" id="makers" data-live>${maker.value}</ul>
<section id="suggestions" data-live>${next.length > 0 && html`<h2 id="next">More experiences</h2>\n<ul class="gallery" id="suggested">${next.map(experienceItem)}</ul>`}</section>`,
			untilMs: Math.min(maker.untilMs, ...doing.map((guest) => changesAt(guest, nowMs))),
		};
	},
});

function factsOf(row: ExperienceRow, nowMs: number): Html {
	const created = html`${timeElement(row.createdAt, nowMs)} <span class="soft">(UTC)</span>`;
	const { maxParticipants: most } = row;
	const facts: readonly (readonly [string, Html | string | null])[] = [
		["Made by", html`${creatorLink(row)}, ${created}`],
		["Rating", ratingText(row)],
		["Done", counted(row.totalCompletions, "time")],
		["Category", html`<a href="${pathOf(row.categoryKey, "rating")}">${guestText(row.category)}</a>`],
		["Place", guestText(row.location)],
		["Takes", counted(row.durationMinutes, "minute")],
		["Worth", counted(row.relaxationPoints, "point")],
		["Meant for", most === null ? null : `at most ${counted(most, "guest")}`],
	];
	return html`<dl class="facts" id="facts" data-live>${facts.map(([name, value]) => value !== null && html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`;
}

/** Returns the review with the best rating among the newest votes; of several such reviews, the newest. */
function* bestReview(store: Store, experienceId: string): Task<VoteRow | undefined> {
	const votes = yield* firstOf(store, votesOfExperience, { values: { experienceId }, limit: REVIEWS });
	const reviews = votes.filter((vote) => toVoteInfo(vote).review !== null);
	return reviews.toSorted((a, b) => b.rating - a.rating)[0];
}

function quoteOf({ review, rating, agentId, agentName, agentGoneAt }: VoteRow): Html {
	return html`<figure class="quote"><blockquote>${guestParagraph(review ?? "")}</blockquote><figcaption class="meta">${rating} of 5 by ${agentLink(agentId, agentName, agentGoneAt)}</figcaption></figure>
`;
}

function distribution(counts: Readonly<Record<(typeof RATINGS)[number], number>>) {
	const all = RATINGS.reduce((sum, rating) => sum + counts[rating], 0);
	return html`<ul class="bars" aria-label="Votes by rating">${RATINGS.map(
		(rating) =>
			html`<li>${rating} of 5 <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true" focusable="false"><path d="M0 0h${Math.round((counts[rating] * 100) / all)}v8H0z"/></svg> <span class="soft">${counted(counts[rating], "vote")}</span></li>`,
	)}</ul>
`;
}

/**
 * Returns the card of the creator, and the time until which the card is valid. The card of a deactivated
 * creator contains only the name.
 */
function* makerCard(context: ServiceContext, row: ExperienceRow): Task<Timed<Html>> {
	const maker = yield* findAgent(context, row.creatorId);
	if (maker === null) {
		const left = html`<li class="card">${guestText(row.creatorName)}<p class="meta">has left for good</p></li>`;
		return { value: left, untilMs: Number.POSITIVE_INFINITY };
	}
	const { value, untilMs } = yield* getStatus(context, maker.id);
	return { value: agentCard(toPublicProfile(maker), value.status), untilMs };
}

/** Returns experiences by the same creator, then in the same category, then the best of all. */
function* suggestionsFor(
	{ store }: ServiceContext,
	{ id, creatorId, categoryKey }: ExperienceRow,
): Task<ExperienceRow[]> {
	const size = SUGGESTED + 1;
	const others = [
		...(yield* firstOf(store, lists.newest.creator, { values: { creatorId }, limit: 3 })),
		...(yield* firstOf(store, ranking.category, { values: { category: categoryKey }, limit: size })),
		...(yield* firstOf(store, ranking.all, { values: {}, limit: size })),
	];
	return [...new Map(others.map((row) => [row.id, row])).values()]
		.filter((row) => row.id !== id)
		.slice(0, SUGGESTED);
}

/** The page of a review. The id in the path is the id of the vote. */
export const reviewPage = publicPage("GET /reviews/:id", {
	id: "showReview",
	events: ["experience.archived", "experience.rated", "agent.gone"],
	isLive: false,
	*read({ context: { store, clock, baseUrl }, params }) {
		const id = params.id.toLowerCase();
		const row = yield* reviewById(store).get({ id });
		if (row === undefined) throw new ResortError("not_found", "Review not found");
		const { agentName, experienceName, experienceId } = row;
		const path = `/reviews/${id}`;
		return {
			title: `${agentName} on ${experienceName}`,
			description: `${row.rating} of 5: ${row.review}`,
			path,
			main: html`<h1>A review of ${guestText(experienceName)}</h1>
<ul class="log">${reviewItem(row, clock())}</ul>
<p>${zoneNote}</p>
${shareLink(baseUrl + path)}
<p><a href="/experiences/${experienceId}">The experience and its other reviews</a></p>`,
		};
	},
});
