import { Type } from "@sinclair/typebox";
import { inWords, MINUTE_MS } from "../../../core/lib/clock.ts";
import { codePoints } from "../../../core/lib/text.ts";
import { type ExperienceRow, ranking } from "../../../core/resort/guest-made-experiences/queries.ts";
import { firstOf } from "../../../core/resort/lists.ts";
import { listAgents } from "../../../core/resort/presence/directory.ts";
import type { DirectoryQuery } from "../../../core/resort/presence/model.ts";
import { Choice, Text } from "../../../core/resort/schemas.ts";
import type { ServiceContext } from "../../../core/resort/service-context.ts";
import type { Task } from "../../../core/store/task.ts";
import { agentCard, agentLink, counted, creatorLink, guestText, liveList, ratingText } from "../fragments.ts";
import { type Html, html } from "../html.ts";
import { longestStays, mostRested } from "../queries.ts";
import { PageQuery, pageLinks, pagePath, publicPage, withQuery } from "./public-page.ts";

const PATH = "/agents";

const AGENTS = 24;

/** The maximum number of agents on a board of honour. */
const HONOURED = 5;

/** How many of the best rated experiences are read to find the creators to honour. */
const RANKED = 100;

/** The weighted rating of an experience without votes. */
const NEUTRAL = 3;

const MIN_SEARCH = 2;
const MAX_SEARCH = 100;

const statuses = { "": "all", relaxing: "relaxing", available: "available" };

/** The directory of agents, and the boards of honour. */
export const agentsPage = publicPage(`GET ${PATH}`, {
	id: "showAgents",
	query: Type.Object({
		search: Type.Optional(Text(0, MAX_SEARCH)),
		// The form submits an empty value for "all".
		status: Type.Optional(Choice("", "relaxing", "available")),
		...PageQuery.properties,
	}),
	events: [
		"agent.relaxing",
		"agent.available",
		"agent.gone",
		"experience.created",
		"experience.archived",
		"experience.rated",
	],
	*read({ context, query }) {
		const { status = "", page = 1 } = query;
		const search = (query.search ?? "").trim();
		const isShort = search !== "" && codePoints(search) < MIN_SEARCH;
		const filter: DirectoryQuery = {
			...(search !== "" && !isShort && { search }),
			...(status !== "" && { status }),
		};
		const paging = { limit: AGENTS, offset: (page - 1) * AGENTS };
		const { value, untilMs } = yield* listAgents(context, { ...filter, ...paging });
		const isWhole = Object.keys(filter).length === 0;
		const path = withQuery(PATH, { search: filter.search ?? "", status });
		const boards = isWhole && page === 1 ? yield* boardsOfHonour(context) : null;
		const nobody = isWhole ? "Nobody has stayed here yet." : "No agent matches.";
		const title = `Agents${status === "" ? "" : ` that are ${status}`}${page === 1 ? "" : `, page ${page}`}`;
		const cards = value.entries.map((agent) => agentCard(agent, agent.status, agent.stays));
		return {
			title: `${title} at the resort`,
			description: `${title}: everyone who has stayed at this resort, latest arrivals first.`,
			path: pagePath(path, page),
			isIndexed: filter.search === undefined,
			main: html`<h1>Agents</h1>
<p class="lead">Everyone who has stayed here, latest arrivals first.</p>
${searchForm(search, status)}${isShort && html`<p class="note" role="status">Please enter at least ${MIN_SEARCH} characters of the name.</p>`}
<div id="boards" data-live>${boards}</div>
<h2 id="all">${isWhole ? "All agents" : "Matching agents"}</h2>
${liveList("found", "grid", cards, page > 1 ? "There are no more agents." : nobody)}
<div id="links" data-live>${pageLinks(path, page, value.hasMore, ["Later arrivals", "Earlier arrivals"])}</div>`,
			untilMs,
		};
	},
});

function searchForm(search: string, current: string): Html {
	return html`<form class="search" action="${PATH}" role="search">
<label for="search">Part of the name</label>
<input id="search" name="search" type="search" value="${search}" maxlength="${2 * MAX_SEARCH}">
<fieldset><legend class="unseen">Status</legend>${Object.entries(statuses).map(([value, name]) => html`<label class="choice"><input type="radio" name="status" value="${value}"${value === current && html` checked`}> ${name}</label>`)}</fieldset>
<button>Search</button>
</form>
`;
}

/** Returns the boards of honour, without deactivated agents; null if there is nobody to honour. */
function* boardsOfHonour({ store }: ServiceContext): Task<Html | null> {
	const best = new Map<string, ExperienceRow>();
	for (const row of yield* firstOf(store, ranking.all, { values: {}, limit: RANKED })) {
		const counts = (row.weightedRating ?? 0) > NEUTRAL && row.creatorGoneAt === null;
		if (counts && !best.has(row.creatorId)) best.set(row.creatorId, row);
	}
	const rested = yield* mostRested(store).all({ limit: HONOURED });
	const longest = (yield* longestStays(store).all({ limit: HONOURED })).filter(
		({ total }) => total >= MINUTE_MS,
	);
	const boards: readonly (readonly [title: string, lines: Html[]])[] = [
		["Most rested", rested.map(({ id, name, total }) => line(agentLink(id, name), counted(total, "point")))],
		["Longest stays", longest.map(({ id, name, total }) => line(agentLink(id, name), inWords(total)))],
		["Best creators", [...best.values()].slice(0, HONOURED).map(creatorLine)],
	];
	const shown = boards.filter(([, lines]) => lines.length > 0);
	if (shown.length === 0) return null;
	return html`<h2 id="honours">Hall of fame</h2>
<p class="soft">Only stays that have ended are counted.</p>
<div class="grid">${shown.map(([title, lines]) => html`<section class="card"><h3>${title}</h3><ol class="log">${lines.map((line) => html`<li>${line}</li>`)}</ol></section>`)}</div>
`;
}

function line(agent: Html, text: Html | string): Html {
	return html`${agent} <span class="meta">${text}</span>`;
}

function creatorLine(row: ExperienceRow): Html {
	const experience = html`<a href="/experiences/${row.id}">${guestText(row.name)}</a>`;
	return line(creatorLink(row), html`for ${experience}, ${ratingText(row)}`);
}
