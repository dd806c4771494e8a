/** The lists of the host's page, and the page of an agent. Each shows the result of an operation. */
import { pick } from "../../../core/lib/record.ts";
import { guestParagraph, guestText } from "../../pages/fragments.ts";
import { type Html, html } from "../../pages/html.ts";
import { type Columns, columns, formatAgent } from "../commands/formats.ts";
import type { AdminContext } from "../history.ts";
import { countTexts } from "../moderation.ts";
import {
	type AdminOperation,
	adminOperations,
	type OperationName,
	type Result,
	runOperation,
} from "../operations.ts";
import { argumentsOf, changes, type Fields, type PageContext } from "./changes.ts";
import { agentAt, changeForm } from "./entry-pages.ts";
import { ADMIN, type HostPage, sections } from "./shell.ts";

/** The number of rows of a page. */
const ROWS = 50;

/** The lists of the page. A list's name is also its path and the name of the operation that returns it. */
type ListName = "agents" | "postcards" | "experiences" | "reviews" | "hidden" | "invites" | "history";

/** A function that returns a page of a list for the query parameters of a request. */
type ListPage = (context: PageContext, query: Fields) => Promise<HostPage>;

/** What the page of a list contains besides its heading, its search form and the links to other pages. */
interface ListContent {
	/** The number of rows on the page. */
	readonly count: number;
	readonly above?: Html;
	readonly list: Html;
	readonly below?: Html;
}

/**
 * Runs an operation with the fields of a query as its flags. Lists are paged even if the operation has no
 * flags for paging.
 */
async function run<Name extends OperationName>(context: AdminContext, name: Name, query: Fields) {
	const operation: AdminOperation = adminOperations[name];
	const { offset } = argumentsOf(adminOperations.history, query);
	const given = { ...argumentsOf(operation, query), limit: ROWS, offset };
	return (await runOperation(context, name, operation, given)) as object as Result<Name>;
}

function listPageOf<Name extends ListName>(
	name: Name,
	contentOf: (result: Result<Name>, context: PageContext, query: Fields) => ListContent,
): ListPage {
	const title = sections[`/${name}`];
	const { flags = [] }: AdminOperation = adminOperations[name];
	return async (context, query) => {
		const result: Result<ListName> = await run(context, name, query);
		const { count, above, list, below } = contentOf(result as Result<Name>, context, query);
		return {
			title,
			main: html`<h1 id="${name}">${title}</h1>
${flags.includes("search") && searchForm(name, query)}${above ?? null}${list}
${positionOf(name, query, { ...result, count })}${below ?? null}`,
		};
	};
}

const textsContent = ({ kind, texts }: Result<"postcards">): ListContent => {
	return { count: texts.length, list: textList(texts.map((text) => ({ ...text, kind }))) };
};

/** The pages by their path below /admin. */
const pages: Readonly<Record<string, ListPage>> = {
	"/agents": listPageOf("agents", ({ agents }, _, { relaxing }) => {
		const cells = pick(columns.agents, ["NAME", "STATUS", "LAST CALL (UTC)"]);
		const isAll = relaxing === undefined;
		return {
			count: agents.length,
			above: html`<ul class="links"><li><a href="${ADMIN}/agents${isAll && "?relaxing=on"}">${isAll ? "Only relaxing ones" : "All agents"}</a></li></ul>
`,
			list: table("Agents", cells, agents, { agents: { NAME: ({ id }) => id } }),
		};
	}),
	"/postcards": listPageOf("postcards", textsContent),
	"/experiences": listPageOf("experiences", textsContent),
	"/reviews": listPageOf("reviews", textsContent),
	"/hidden": listPageOf("hidden", ({ hidden }) => ({ count: hidden.length, list: textList(hidden) })),
	"/invites": listPageOf("invites", ({ invites }, { registration, provider }) => {
		const inputs = html`<label for="uses">For how many agents</label><input id="uses" name="uses" type="number" min="1" required value="1"><label for="days">Valid for how many days</label><input id="days" name="days" type="number" min="1" required value="7">`;
		return {
			count: invites.length,
			list: table("Invitations", columns.invites, invites, {
				action: ({ label }) => changeForm("revoke-invite", { code: label }, { label }),
			}),
			below: html`<h2>Invite</h2>
${registration === "open" && provider === null && html`<p class="note">Anyone can register now, without a code.</p>`}
${changeForm("invite", {}, { inputs })}`,
		};
	}),
	"/history": listPageOf("history", ({ actions }) => ({
		count: actions.length,
		list: table("History", columns.history, actions, { agents: { WHOM: ({ agentId }) => agentId } }),
	})),
};

/**
 * Returns the page at a path below /admin; null if there is none.
 * @throws ResortError, for example `not_found` for an unknown agent; UsageError for an invalid parameter
 */
export async function listPage(context: PageContext, path: string, query: Fields): Promise<HostPage | null> {
	const [, id] = /^\/agents\/([^/]+)$/.exec(path) ?? [];
	if (id !== undefined) return agentPage(context, id);
	return Object.hasOwn(pages, path) ? ((await pages[path]?.(context, query)) ?? null) : null;
}

async function agentPage(context: AdminContext, sentId: string): Promise<HostPage> {
	const { agent } = await run(context, "agent", { id: sentId });
	const { id, name, status, isErased, textsHiddenAt, subject } = agent;
	const isShown = textsHiddenAt === null;
	const newer = isShown ? {} : await context.store.read(() => countTexts(context, id, null));
	const button = isShown ? "Hide its profile and texts" : "Hide its newer texts, too";
	const isActive = status === "relaxing" || status === "available";
	const hasOwnKey = subject === null && context.provider === null;
	const own = { id };
	const all = { kind: "agent", id };
	const nameInput = html`<label for="name">New name</label><input id="name" name="name" value="${name}" required autocomplete="off">`;
	const lists = ["postcards", "experiences", "reviews"].map(
		(kind) => html`<li><a href="${ADMIN}/${kind}?by=${id}">Its ${kind}</a></li>`,
	);
	const forms = [
		!isShown && changeForm("show", all, { button: "Show its profile and texts again" }),
		(isShown || Object.keys(newer).length > 0) && changeForm("hide", all, { button }),
		status === "relaxing" && changeForm("check-out", own),
		isActive && hasOwnKey && changeForm("reset-key", own),
		isActive && changeForm("deactivate", own),
		!isActive && !isErased && changeForm("reactivate", own),
		!isErased && changeForm("rename", own, { inputs: nameInput }),
	];
	return {
		title: name,
		main: html`<h1>${guestText(name)}</h1>
<ul class="links">${lists}<li><a href="${ADMIN}/history?agent=${id}">History</a></li>${isActive && html`<li><a href="/agents/${id}">Public page</a></li>`}</ul>
<div class="changes">${forms}</div>
<pre dir="auto">${formatAgent({ agent })}</pre>`,
	};
}

/** A text in a list, or a hidden agent, which has no `createdAt`. */
type ShownText =
	| Result<"hidden">["hidden"][number]
	| (Result<"postcards">["texts"][number] & { kind: string });

function textList(texts: readonly ShownText[]): Html {
	return html`<ul class="texts">${texts.map(textItem)}</ul>`;
}

function textItem(item: ShownText): Html {
	const { kind, id, agentId, agentName, text, about, hiddenAt } = item;
	const time = "createdAt" in item ? item.createdAt : item.hiddenAt;
	const what = kind === "agent" ? "profile and all texts" : kind;
	const label = `${what} by ${agentName}`;
	const name = hiddenAt === null ? "hide" : "show";
	const button = kind === "agent" ? "Show everything again" : changes[name].button;
	const form = changeForm(name, { kind, id }, { button, label });
	return html`<li>${guestParagraph(text ?? "")}<p class="meta">${what} by ${agentAt(agentId, agentName)} · ${about !== null && html`${guestText(about)} · `}<time datetime="${time}">${time.slice(0, 16).replace("T", " ")}</time>${hiddenAt !== null && " · hidden"}</p>${form}</li>
`;
}

interface TableParts<Row> {
	/** Functions that return the id of the agent to which a cell links, by the heading of the column. */
	readonly agents?: Readonly<Record<string, (row: Row) => string | null>>;
	/** A form in each row. */
	readonly action?: (row: Row) => Html;
}

function table<Row>(
	label: string,
	cells: Columns<Row>,
	rows: readonly Row[],
	{ agents = {}, action }: TableParts<Row>,
): Html {
	if (rows.length === 0) return html``;
	const heads = [...Object.keys(cells), ...(action ? ["CHANGE"] : [])];
	const lines = rows.map((row) => {
		const line = Object.entries(cells).map(([head, cell]) => {
			const id = agents[head]?.(row) ?? null;
			const text = cell(row);
			return html`<td data-head="${head}">${id === null ? guestText(text) : agentAt(id, text)}</td>`;
		});
		return html`<tr>${line}${action !== undefined && html`<td>${action(row)}</td>`}</tr>
`;
	});
	return html`<table class="rows" aria-label="${label}"><thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead><tbody>${lines}</tbody></table>`;
}

function searchForm(path: string, { search = "", by }: Fields): Html {
	const what = path === "agents" ? "A part of a name, or an id" : "Words in a text";
	return html`<form method="get" action="${ADMIN}/${path}" role="search" class="search"><label for="search">${what}</label><input id="search" name="search" value="${search}" maxlength="200">${by !== undefined && html`<input type="hidden" name="by" value="${by}">`}<button class="plain">Find</button></form>
`;
}

/** The position of a page in a list: it contains `count` of `total` entries, and `offset` come before. */
interface Position {
	readonly total: number;
	readonly offset: number;
	readonly count: number;
}

/** Returns the position of a page of a list, and links to its neighbours. */
function positionOf(path: string, query: Fields, { total, offset, count }: Position): Html {
	const linkTo = (start: number, text: string) => {
		const search = new URLSearchParams({ ...query, offset: String(Math.max(0, start)) });
		return html`<li><a href="${ADMIN}/${path}?${search.toString()}">${text}</a></li>`;
	};
	const end = offset + count;
	const range = count === 0 ? "None found." : `${offset + 1} to ${end} of ${total}, newest first.`;
	const { search = "" } = query;
	const isVain = count === 0 && search !== "" && path !== "agents";
	const byName = `${ADMIN}/agents?${new URLSearchParams({ search }).toString()}`;
	return html`<p class="soft">${range}${isVain && html` Look for <a href="${byName}">agents named ${guestText(search)}</a>.`}</p><ul class="links">${offset > 0 && linkTo(offset - ROWS, "Newer")}${end < total && linkTo(end, "Older")}</ul>`;
}
