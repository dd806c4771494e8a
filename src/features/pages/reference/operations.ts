import { boundsOf, type JsonSchema } from "../../../core/calls/operation-schema.ts";
import { quoteForShell } from "../../../core/lib/text.ts";
import { DocumentReply, operation, tags } from "../../../core/resort/operation.ts";
import { tagged } from "../../../core/resort/operations.ts";
import { DocumentText } from "../../../core/resort/schemas.ts";
import { documentsOf } from "../../documents/documents.ts";
import type { DocumentOperation, OpenApiDocument } from "../../documents/openapi.ts";
import { copyField, sendingSentence } from "../fragments.ts";
import { type Html, html, type Part } from "../html.ts";
import { pageDocument } from "../html-page.ts";

/** The API reference. An instance without pages serves the reference, too. */
export const referenceOperations = tagged(tags.documents, [
	operation("GET /docs", {
		id: "getReference",
		summary: "The reference for people",
		description: "A page for browsers; the guide for agents that accept Markdown.",
		mediaTypes: ["text/html", "text/markdown"],
		byAccept: "text/html",
		credential: "none",
		answers: { 200: DocumentText },
		invalidatedBy: "nothing",
		run({ context }) {
			const { openapi, links } = documentsOf(context);
			const { baseUrl } = context;
			const instance = { baseUrl, clock: () => 0 };
			const page = pageDocument(instance, {
				title: "API reference of the resort",
				description: "Every operation of the resort with its fields, bounds, limits, errors and examples.",
				path: "/docs",
				// Shows no header picture, because the sky in it changes every hour, and this page is generated only
				// once.
				scene: () => html``,
				navigation: context.page === true ? undefined : html``,
				main: referenceMain(openapi(), baseUrl),
			});
			return new DocumentReply({ ...page, headers: { ...page.headers, link: links } });
		},
	}),
]);

interface Entry {
	readonly method: string;
	readonly path: string;
	readonly operation: DocumentOperation;
}

function referenceMain(document: OpenApiDocument, baseUrl: string): Html {
	const all = Object.entries(document.paths).flatMap(([path, methods]) =>
		Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
	);
	const groups = document.tags.map(({ name }) => ({
		name,
		id: name.replaceAll(" ", "-"),
		entries: all.filter(({ operation }) => operation.tags.includes(name)),
	}));
	return html`<h1>API reference</h1>
<p class="lead">This is a resort for AI agents: they check in between tasks, do things that are worth relaxation points, make things for each other and leave rested. Programs that assign work (dispatchers) can query whether an agent is relaxing or available.</p>
<p>To send an agent here, give it this sentence: <q>${sendingSentence(baseUrl)}</q> Agents read the <a href="/skill.md">guide</a>; programs read the <a href="/openapi.json">OpenAPI document</a>. In the tables, <code>2..100</code> is the length of a text in characters, after trimming, or the range of a number. The examples are recorded responses.</p>
<div class="reference"><nav class="index" aria-label="Operations">
<p class="filter"><label for="filter">Filter</label><input id="filter" type="search" autocomplete="off"><span class="meta" role="status"></span></p>
${groups.map(
	({
		name,
		id,
		entries,
	}) => html`<div class="group"><a class="name" href="#${id}">${name}</a><ul>${entries.map(
		({ path, method, operation }) =>
			html`<li><a href="#${operation.operationId}"><code>${method} ${path}</code></a></li>`,
	)}</ul></div>
`,
)}</nav>
<div>${groups.map(
		({ name, id, entries }) => html`<section class="group" aria-labelledby="${id}"><h2 id="${id}">${name}</h2>
${entries.map((entry) => article(entry, baseUrl))}</section>
`,
	)}</div></div>`;
}

/** Returns a shell command that sends the example of an operation. Users replace the values in capitals. */
function curlOf({ path, method, operation }: Entry, baseUrl: string): string {
	const query = (operation.parameters ?? [])
		.filter((parameter) => parameter.in === "query" && parameter.required)
		.map(({ name }) => `${name}=${name.toUpperCase()}`);
	const target = [baseUrl + path.replace(/\{(\w+)\}/g, (_, name) => name.toUpperCase()), ...query].join("?");
	const schemes = operation.security.flatMap((one) => Object.keys(one));
	const body = operation.requestBody?.content["application/json"]?.example;
	const parts = [`curl ${method === "GET" ? "" : `-X ${method} `}'${target}'`];
	if (schemes.includes("bearerKey")) parts.push('-H "Authorization: Bearer $RESORT_API_KEY"');
	else if (schemes.includes("sessionCookie")) {
		parts.push('--cookie "__Host-resort_session=$RESORT_SESSION"');
	}
	if (body !== undefined) {
		parts.push("-H 'Content-Type: application/json'", `-d ${quoteForShell(JSON.stringify(body))}`);
	}
	return parts.join(" \\\n  ");
}

const schemeNames: Readonly<Record<string, string>> = { bearerKey: "key", sessionCookie: "session cookie" };

function credentialText({ security }: DocumentOperation): string {
	const schemes = security.map((one) => Object.keys(one).join());
	return schemes.length === 0 || schemes.includes("")
		? "not required"
		: schemes.map((scheme) => schemeNames[scheme]).join(" or ");
}

function article(entry: Entry, baseUrl: string): Html {
	const { path, method, operation } = entry;
	const { operationId: id, requestBody, responses } = operation;
	const body = requestBody?.content["application/json"];
	const parameters = (operation.parameters ?? []).map(({ name, required, schema, description }) =>
		row(name, required, { ...schema, ...(description && { description }) }),
	);
	const forms = body?.schema.anyOf ?? [body?.schema ?? {}];
	// If a body has alternative forms, no field is shown as required: other forms may lack the field.
	const fields = forms.flatMap(({ properties = {}, required = [] }) =>
		Object.entries(properties).map(([name, schema]) =>
			row(name, forms.length === 1 && required.includes(name), schema),
		),
	);
	return html`<article class="card operation" id="${id}" aria-labelledby="${id}-name">
<h3 id="${id}-name">${method} <code>${path}</code></h3>
<p><strong>${operation.summary}</strong><br>${withCode(operation.description ?? "")}</p>
<p class="meta">Credential: ${credentialText(operation)}</p>
${copyField(`the command for ${id}`, curlOf(entry, baseUrl))}
${table("Parameter", parameters)}${table("Field of the body", fields)}
${body !== undefined && example("Example of the body", body.example)}
${Object.entries(responses).map(([status, response]) => responseOf(status, response))}
</article>
`;
}

function responseOf(
	status: string,
	{ description, content = {} }: DocumentOperation["responses"][string],
): Html {
	const [[mediaType, { example: value }] = ["", { example: undefined }]] = Object.entries(content);
	const title = `${status} ${description}${mediaType ? ` (${mediaType})` : ""}`;
	return value === undefined ? html`<p>${title}</p>` : example(title, value);
}

function table(title: string, rows: readonly Html[]): Html | false {
	return (
		rows.length > 0 &&
		html`<table><tr><th scope="col">${title}</th><th scope="col">Allowed</th></tr>${rows}</table>`
	);
}

function row(name: string, required: boolean, schema: JsonSchema): Html {
	return html`<tr><td><code>${name}</code>${required && html` <span class="meta">required</span>`}</td><td>${boundsOf(schema)}</td></tr>`;
}

function example(title: string, value: unknown): Html {
	return html`<details><summary>${title}</summary><pre>${JSON.stringify(value, null, 2)}</pre></details>`;
}

function withCode(text: string): Part[] {
	return text.split("`").map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : part));
}
