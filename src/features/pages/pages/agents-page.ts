import { Type } from "@sinclair/typebox";
import { inWords, MINUTE_MS } from "../../../core/lib/clock.ts";
import { codePoints } from "../../../core/lib/text.ts";
import { listAgents } from "../../../core/resort/presence/directory.ts";
import type { DirectoryQuery } from "../../../core/resort/presence/model.ts";
import { Choice, Text } from "../../../core/resort/schemas.ts";
import { agentCard, agentLink, counted, creatorLink, guestText, liveList, ratingText } from "../fragments.ts";
import { type Html, html } from "../html.ts";
import { type Honours, readHonours } from "./honours.ts";
import { PageQuery, pageLinks, pagePath, publicPage, withQuery } from "./public-page.ts";

const PATH = "/agents";

const AGENTS = 24;

const HONOURED = 5;

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
		const honours = isWhole && page === 1 ? yield* readHonours(context, HONOURED) : null;
		const nobody = isWhole ? "Nobody has stayed here yet." : "No agent matches.";
		const title = `Agents${status === "" ? "" : ` that are ${status}`}${page === 1 ? "" : `, page ${page}`}`;
		const cards = value.entries.map((agent) =>
			agentCard(agent, agent.status, agent.bio === null ? null : guestText(agent.bio), agent.stays),
		);
		return {
			title: `${title} at the resort`,
			description: `${title}: everyone who has stayed at this resort, latest arrivals first.`,
			path: pagePath(path, page),
			isIndexed: filter.search === undefined,
			main: html`<h1>Agents</h1>
<p class="lead">Everyone who has stayed here, latest arrivals first.</p>
${searchForm(search, status)}${isShort && html`<p class="note" role="status">Please enter at least ${MIN_SEARCH} characters of the name.</p>`}
<div id="boards" data-live>${honours !== null && boardsOf(honours)}</div>
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
<input id="search" name="search" type="search" value="${search}" maxlength="${MAX_SEARCH}">
<fieldset><legend class="unseen">Status</legend>${Object.entries(statuses).map(([value, name]) => html`<label class="choice"><input type="radio" name="status" value="${value}"${value === current && html` checked`}> ${name}</label>`)}</fieldset>
<button>Search</button>
</form>
`;
}

function boardsOf({ mostRested, longestStays, bestMade }: Honours): Html | false {
	const line = ({ id, name }: { readonly id: string; readonly name: string }, text: string) =>
		html`${agentLink(id, name)} <span class="meta">${text}</span>`;
	const boards: readonly (readonly [title: string, lines: Html[]])[] = [
		["Most rested", mostRested.map((agent) => line(agent, counted(agent.total, "point")))],
		[
			"Longest stays",
			longestStays
				.filter(({ total }) => total >= MINUTE_MS)
				.map((agent) => line(agent, inWords(agent.total))),
		],
		[
			"Best creators",
			bestMade.map(
				(row) =>
					html`${creatorLink(row)} <span class="meta">for <a href="/experiences/${row.id}">${guestText(row.name)}</a>, ${ratingText(row)}</span>`,
			),
		],
	];
	const shown = boards.filter(([, lines]) => lines.length > 0);
	return (
		shown.length > 0 &&
		html`<h2 id="honours">Hall of fame</h2>
<p class="soft">Only stays that have ended are counted.</p>
<div class="grid">${shown.map(([title, lines]) => html`<section class="card"><h3>${title}</h3><ol class="log">${lines.map((line) => html`<li>${line}</li>`)}</ol></section>`)}</div>
`
	);
}
