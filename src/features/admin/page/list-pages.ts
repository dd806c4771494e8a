/** The lists of the host's page, and the page of an agent. Each shows the result of an operation. */

import { guestParagraph } from "../../pages/fragments.ts";
import { type Html, html } from "../../pages/html.ts";
import { columns, formats } from "../commands/formats.ts";
import type { AdminContext } from "../history.ts";
import { type OperationName, runOperation } from "../operations.ts";
import { argumentsOf, type Fields } from "./changes.ts";
import { agentAt, changeForm } from "./entry-pages.ts";
import { ADMIN, type HostPage } from "./shell.ts";

type Result<Name extends OperationName> = Awaited<
	ReturnType<typeof import("../operations.ts").adminOperations[Name]["run"]>
>;

const PAGE = "50";

async function listed<Name extends OperationName>(context: AdminContext, name: Name, query: Fields) {
	const given = argumentsOf(name, { limit: PAGE, ...query });
	return (await runOperation(context, name, given)) as unknown as Result<Name>;
}

type Pages = Readonly<
	Record<string, (context: AdminContext, query: Fields) => Promise<Omit<HostPage, "current">>>
>;

const textsPage =
	(name: "postcards" | "experiences" | "reviews", title: string): Pages[string] =>
	async (context, query) => {
		const { kind, texts, ...position } = await listed(context, name, query);
		const items = texts.map((text) => textItem({ ...text, kind }));
		return {
			title,
			main: html`<h1>${title}</h1>
${searchForm(name, query)}<ul class="texts">${items}</ul>
${positionOf(name, query, position, texts.length)}`,
		};
	};

/** The pages by their path below /admin. */
const pages: Pages = {
	"/agents": async (context, query) => {
		const { agents, ...position } = await listed(context, "agents", query);
		const rows = agents.map((agent) => ({ row: agent, link: `${ADMIN}/agents/${agent.id}` }));
		return {
			title: "Agents",
			main: html`<h1>Agents</h1>
${searchForm("agents", query)}${table(columns.agents, rows)}
${positionOf("agents", query, position, agents.length)}`,
		};
	},
	"/postcards": textsPage("postcards", "Postcards"),
	"/experiences": textsPage("experiences", "Experiences"),
	"/reviews": textsPage("reviews", "Reviews"),
	"/hidden": async (context, query) => {
		const { hidden } = await listed(context, "hidden", query);
		return {
			title: "Hidden",
			main: html`<h1>Hidden</h1>
${hidden.length === 0 ? html`<p>Nothing is hidden.</p>` : html`<ul class="texts">${hidden.map(textItem)}</ul>`}`,
		};
	},
	"/invites": async (context, query) => {
		const { invites } = await listed(context, "invites", query);
		const inputs = html`<label for="uses">For how many agents</label><input id="uses" name="uses" inputmode="numeric" value="1"><label for="days">Valid for how many days</label><input id="days" name="days" inputmode="numeric" value="7">`;
		return {
			title: "Invitations",
			main: html`<h1>Invitations</h1>
${
	invites.length === 0
		? html`<p>There is no invitation.</p>`
		: table(
				columns.invites,
				invites.map((row) => ({
					row,
					action: changeForm("revoke-invite", { code: row.label }, { label: row.label }),
				})),
			)
}
<h2>Invite</h2>
${changeForm("invite", {}, { inputs })}`,
		};
	},
	"/history": async (context, query) => {
		const { actions, ...position } = await listed(context, "history", query);
		return {
			title: "History",
			main: html`<h1>History</h1>
${table(
	columns.history,
	actions.map((row) => ({ row })),
)}
${positionOf("history", query, position, actions.length)}`,
		};
	},
};

/**
 * Returns the page at a path below /admin; null if there is none.
 * @throws ResortError, for example `not_found` for an unknown agent; UsageError for an invalid parameter
 */
export async function listPage(
	context: AdminContext,
	path: string,
	query: Fields,
): Promise<Omit<HostPage, "current"> | null> {
	const [, id] = /^\/agents\/([^/]+)$/.exec(path) ?? [];
	if (id !== undefined) return agentPage(context, id);
	return Object.hasOwn(pages, path) ? ((await pages[path]?.(context, query)) ?? null) : null;
}

async function agentPage(context: AdminContext, sentId: string): Promise<Omit<HostPage, "current">> {
	const result = await listed(context, "agent", { id: sentId });
	const { id, name, status, isErased, textsHiddenAt } = result.agent;
	const isActive = status === "relaxing" || status === "available";
	const all = { kind: "agent", id };
	const nameInput = html`<label for="name">New name</label><input id="name" name="name" value="${name}" maxlength="50" required autocomplete="off">`;
	return {
		title: name,
		main: html`<h1>${name}</h1>
<ul class="links">${["postcards", "experiences", "reviews"].map((kind) => html`<li><a href="${ADMIN}/${kind}?by=${id}">Its ${kind}</a></li>`)}<li><a href="${ADMIN}/history?agent=${id}">History</a></li>${isActive && html`<li><a href="/agents/${id}">Public page</a></li>`}</ul>
<pre class="report" dir="auto">${formats.agent?.(result, argumentsOf("agent", { id })) ?? ""}</pre>
<h2>Change</h2>
${textsHiddenAt == null ? changeForm("hide", all, { label: "its profile and all its texts" }) : changeForm("show", all, { label: "its profile and all its texts" })}${status === "relaxing" && changeForm("check-out", { id })}${isActive && changeForm("reset-key", { id })}${isActive && changeForm("deactivate", { id })}${!isActive && !isErased && changeForm("reactivate", { id })}${changeForm("rename", { id }, { inputs: nameInput })}`,
	};
}

/** A text in a list, or a hidden agent. */
interface ListedText {
	readonly kind: string;
	readonly id: string;
	readonly agentId: string;
	readonly agentName: string;
	readonly text: string | null;
	readonly createdAt?: string;
	readonly hiddenAt: string | null;
}

function textItem({ kind, id, agentId, agentName, text, createdAt, hiddenAt }: ListedText): Html {
	const time = createdAt ?? hiddenAt ?? "";
	const form = changeForm(
		hiddenAt === null ? "hide" : "show",
		{ kind, id },
		{ label: `${kind} by ${agentName}` },
	);
	return html`<li>${guestParagraph(text ?? "")}<p class="meta">${kind} by ${agentAt({ agentId, agentName })} · <time datetime="${time}">${time.slice(0, 16).replace("T", " ")}</time>${hiddenAt !== null && " · hidden"}</p>${form}</li>
`;
}

/** A row of a table, with the target of its first cell, and a form. */
interface TableRow<Row> {
	readonly row: Row;
	readonly link?: string;
	readonly action?: Html;
}

function table<Row>(
	cells: Readonly<Record<string, (row: Row) => string>>,
	rows: readonly TableRow<Row>[],
): Html {
	const heads = Object.keys(cells);
	const hasAction = rows.some(({ action }) => action !== undefined);
	const bodyRows = rows.map(({ row, link, action }) => {
		const columns = Object.values(cells).map((cell, at) => {
			const text = cell(row);
			return html`<td>${at === 0 && link !== undefined ? html`<a href="${link}">${text}</a>` : html`<bdi>${text}</bdi>`}</td>`;
		});
		return html`<tr>${columns}${hasAction && html`<td>${action ?? null}</td>`}</tr>
`;
	});
	return html`<div class="wide" tabindex="0" role="region" aria-label="Table"><table class="rows"><thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}${hasAction && html`<th scope="col">CHANGE</th>`}</tr></thead><tbody>${bodyRows}</tbody></table></div>`;
}

function searchForm(path: string, { search = "", by }: Fields): Html {
	return html`<form method="get" action="${ADMIN}/${path}" role="search"><label for="search">Find</label><input id="search" name="search" value="${search}" maxlength="200">${by !== undefined && html`<input type="hidden" name="by" value="${by}">`}<button class="plain">Find</button></form>
`;
}

/** Returns the position of a page of a list, and links to its neighbours. */
function positionOf(
	path: string,
	query: Fields,
	{ total, offset }: { readonly total: number; readonly offset: number },
	count: number,
): Html {
	const linkTo = (start: number, text: string) => {
		const search = new URLSearchParams({ ...query, offset: String(Math.max(0, start)) });
		return html`<li><a href="${ADMIN}/${path}?${search.toString()}">${text}</a></li>`;
	};
	const end = offset + count;
	const range = count === 0 ? "None found." : `${offset + 1} to ${end} of ${total}, newest first.`;
	return html`<p class="soft">${range}</p><ul class="links">${offset > 0 && linkTo(offset - Number(PAGE), "Newer")}${end < total && linkTo(end, "Older")}</ul>`;
}
