/** The lists of the host's page, and the page of an agent. Each shows the result of an operation. */
import { pick } from "../../../core/lib/record.ts";
import { guestParagraph, guestText } from "../../pages/fragments.ts";
import { type Html, html } from "../../pages/html.ts";
import { columns, formats } from "../commands/formats.ts";
import type { AdminContext } from "../history.ts";
import { countTexts } from "../moderation.ts";
import { adminOperations, type OperationName, type Result, runOperation } from "../operations.ts";
import { argumentsOf, changes, type Fields, type PageContext } from "./changes.ts";
import { agentAt, changeForm } from "./entry-pages.ts";
import { ADMIN, type HostPage } from "./shell.ts";

/** The number of rows of a page. */
const ROWS = 50;

/** Returns a page for the query of a request. */
type ListPage = (context: PageContext, query: Fields) => Promise<HostPage>;

/** Runs an operation with the fields of a query as its flags. Lists are paged even if it has no flags for that. */
async function run<Name extends OperationName>(
	context: AdminContext,
	name: Name,
	query: Fields,
): Promise<Result<Name>> {
	const operation = adminOperations[name];
	const { offset } = argumentsOf(adminOperations.history, query);
	const given = { ...argumentsOf(operation, query), limit: ROWS, offset };
	return (await runOperation(context, name, operation, given)) as object as Result<Name>;
}

const textsPage =
	(name: "postcards" | "experiences" | "reviews", title: string): ListPage =>
	async (context, query) => {
		const { kind, texts, ...position } = await run(context, name, query);
		return listed(name, title, {
			above: searchForm(name, query),
			list: textList(texts.map((text) => ({ ...text, kind }))),
			below: positionOf(name, query, { ...position, count: texts.length }),
		});
	};

/** The pages by their path below /admin. */
const pages: Readonly<Record<string, ListPage>> = {
	"/agents": async (context, query) => {
		const { agents, ...position } = await run(context, "agents", query);
		const cells = pick(columns.agents, ["NAME", "STATUS", "LAST CALL (UTC)"]);
		const rows = agents.map((agent) => ({ row: agent, links: { NAME: `${ADMIN}/agents/${agent.id}` } }));
		const isAll = query.relaxing === undefined;
		return listed("agents", "Agents", {
			above: html`${searchForm("agents", query)}<ul class="links"><li><a href="${ADMIN}/agents${isAll && "?relaxing=on"}">${isAll ? "Only relaxing ones" : "All agents"}</a></li></ul>
`,
			list: table("Agents", cells, rows),
			below: positionOf("agents", query, { ...position, count: agents.length }),
		});
	},
	"/postcards": textsPage("postcards", "Postcards"),
	"/experiences": textsPage("experiences", "Experiences"),
	"/reviews": textsPage("reviews", "Reviews"),
	"/hidden": async (context, query) => {
		const { hidden, ...position } = await run(context, "hidden", query);
		return listed("hidden", "Hidden", {
			list: textList(hidden),
			below: positionOf("hidden", query, { ...position, count: hidden.length }),
		});
	},
	"/invites": async (context, query) => {
		const { invites, ...position } = await run(context, "invites", query);
		const rows = invites.map((row) => ({
			row,
			action: changeForm("revoke-invite", { code: row.label }, { label: row.label }),
		}));
		const inputs = html`<label for="uses">For how many agents</label><input id="uses" name="uses" type="number" min="1" required value="1"><label for="days">Valid for how many days</label><input id="days" name="days" type="number" min="1" required value="7">`;
		return listed("invites", "Invitations", {
			list: table("Invitations", columns.invites, rows),
			below: html`${positionOf("invites", query, { ...position, count: rows.length })}<h2>Invite</h2>
${context.registration === "open" && context.provider === null && html`<p class="note">Anyone can register now, without a code.</p>`}
${changeForm("invite", {}, { inputs })}`,
		});
	},
	"/history": async (context, query) => {
		const { actions, ...position } = await run(context, "history", query);
		const rows = actions.map((row) => ({
			row,
			links: row.agentId === null ? {} : { WHOM: `${ADMIN}/agents/${row.agentId}` },
		}));
		return listed("history", "History", {
			list: table("History", columns.history, rows),
			below: positionOf("history", query, { ...position, count: actions.length }),
		});
	},
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
	const given = argumentsOf(adminOperations.agent, { id: sentId });
	const result = await run(context, "agent", { id: sentId });
	const { id, name, status, isErased, textsHiddenAt, subject } = result.agent;
	const isShown = textsHiddenAt === null;
	const newer = isShown ? {} : await context.store.read(() => countTexts(context, id, null));
	const button = isShown ? "Hide its profile and texts" : "Hide its newer texts, too";
	const isActive = status === "relaxing" || status === "available";
	const hasOwnKey = subject === null && context.provider === null;
	const own = { id };
	const all = { kind: "agent", id };
	const nameInput = html`<label for="name">New name</label><input id="name" name="name" value="${name}" maxlength="100" required autocomplete="off">`;
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
<pre dir="auto">${formats.agent?.(result, given) ?? ""}</pre>`,
	};
}

interface ListParts {
	readonly above?: Html;
	readonly list: Html;
	readonly below: Html;
}

function listed(id: string, title: string, { above, list, below }: ListParts): HostPage {
	return {
		title,
		main: html`<h1 id="${id}">${title}</h1>
${above ?? null}${list}
${below}`,
	};
}

/** A text in a list, or a hidden agent. */
interface ShownText {
	readonly kind: string;
	readonly id: string;
	readonly agentId: string;
	readonly agentName: string;
	readonly text: string | null;
	/** What the host should know to judge the text. */
	readonly about: string | null;
	readonly createdAt?: string;
	readonly hiddenAt: string | null;
}

function textList(texts: readonly ShownText[]): Html {
	return html`<ul class="texts">${texts.map(textItem)}</ul>`;
}

function textItem({ kind, id, agentId, agentName, text, about, createdAt, hiddenAt }: ShownText): Html {
	const time = createdAt ?? hiddenAt ?? "";
	const what = kind === "agent" ? "profile and all texts" : kind;
	const label = `${what} by ${agentName}`;
	const name = hiddenAt === null ? "hide" : "show";
	const button = kind === "agent" ? "Show everything again" : changes[name].button;
	const form = changeForm(name, { kind, id }, { button, label });
	return html`<li>${guestParagraph(text ?? "")}<p class="meta">${what} by ${agentAt(agentId, agentName)} · ${about !== null && html`${guestText(about)} · `}<time datetime="${time}">${time.slice(0, 16).replace("T", " ")}</time>${hiddenAt !== null && " · hidden"}</p>${form}</li>
`;
}

/** A row of a table. */
interface TableRow<Row> {
	readonly row: Row;
	/** The targets of cells, by the heads of their columns. */
	readonly links?: Readonly<Record<string, string>>;
	readonly action?: Html;
}

function table<Row>(
	label: string,
	cells: Readonly<Record<string, (row: Row) => string>>,
	rows: readonly TableRow<Row>[],
): Html {
	if (rows.length === 0) return html``;
	const hasAction = rows.some(({ action }) => action !== undefined);
	const heads = Object.keys(cells).map((head) => html`<th scope="col">${head}</th>`);
	const lines = rows.map(({ row, links = {}, action }) => {
		const line = Object.entries(cells).map(([head, cell]) => {
			const text = guestText(cell(row));
			const target = links[head];
			return html`<td data-head="${head}">${target === undefined ? text : html`<a href="${target}">${text}</a>`}</td>`;
		});
		return html`<tr>${line}${hasAction && html`<td>${action ?? null}</td>`}</tr>
`;
	});
	return html`<table class="rows" aria-label="${label}"><thead><tr>${heads}${hasAction && html`<th scope="col">CHANGE</th>`}</tr></thead><tbody>${lines}</tbody></table>`;
}

function searchForm(path: string, { search = "", by }: Fields): Html {
	const what = path === "agents" ? "A part of a name, or an id" : "Words in a text";
	return html`<form method="get" action="${ADMIN}/${path}" role="search" class="search"><label for="search">${what}</label><input id="search" name="search" value="${search}" maxlength="200">${by !== undefined && html`<input type="hidden" name="by" value="${by}">`}<button class="plain">Find</button></form>
`;
}

/** The position of a page in a list. */
interface Position {
	readonly total: number;
	readonly offset: number;
	/** The number of rows on the page. */
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
