import { type Html, html, trusted } from "../lib/html.ts";
import { once } from "../lib/once.ts";
import { plainLine } from "../lib/plain-text.ts";
import {
	type Document,
	DocumentReply,
	type ReplyDetails,
} from "../resort/reply.ts";
import script from "./assets/live.js" with { type: "text" };
import style from "./assets/style.css" with { type: "text" };
import type { Sky } from "./light.ts";

/** The media type of every page. */
export const HTML = "text/html; charset=utf-8";

/** What keeps a page up to date. */
export interface Live {
	/** The path of its stream of events. */
	readonly events: string;
	/** The types of events that it shows. */
	readonly types: readonly string[];
}

/** One page. */
export interface Page {
	/** What it is called, in a line; it may be what a guest wrote. */
	readonly title: string;
	/** What it shows, in a sentence. */
	readonly description: string;
	/** Its own address, without the origin; null for one that stands at the address of another. */
	readonly path: string | null;
	/** The public address of the resort. */
	readonly baseUrl: string;
	readonly sky: Sky;
	/** What is seen over the page. */
	readonly scene: Html;
	/** All that is below the scene, with a first heading. */
	readonly main: Html;
	readonly live?: Live;
	/** Whether there are no other pages to lead to. */
	readonly isAlone?: boolean;
	/** Whether search engines leave it out. */
	readonly isHidden?: boolean;
}

const sections: readonly (readonly [path: string, name: string])[] = [
	["/", "House"],
	["/board", "Board"],
	["/experiences", "Experiences"],
	["/me", "My agent"],
	["/docs", "API"],
];

/** How long titles and descriptions are at most, in code points. */
const MAX_TITLE = 80;
const MAX_DESCRIPTION = 180;

/** Writes a whole page. */
export function writePage(page: Page): string {
	const { path, baseUrl, sky, live } = page;
	const title = plainLine(page.title, MAX_TITLE);
	const description = plainLine(page.description, MAX_DESCRIPTION);
	const address = path === null ? null : baseUrl + path;
	const shown = page.isAlone ? [] : sections;
	const written = html`<html lang="en" data-light="${sky.light}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<meta name="description" content="${description}">
${page.isHidden === true && html`<meta name="robots" content="noindex">`}<meta name="theme-color" content="#fbf7f0" media="(prefers-color-scheme: light)">
<meta name="theme-color" content="#0e1822" media="(prefers-color-scheme: dark)">
<meta property="og:type" content="website">
<meta property="og:site_name" content="agent-resort">
<meta property="og:title" content="${title}">
<meta property="og:description" content="${description}">
${
	address !== null &&
	html`<meta property="og:url" content="${address}">
`
}<meta property="og:image" content="${baseUrl}/social.png">
<meta property="og:image:alt" content="A house by the sea with lit windows">
<meta name="twitter:card" content="summary_large_image">
${
	address !== null &&
	html`<link rel="canonical" href="${address}">
`
}<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<link rel="alternate" type="application/feed+json" title="Postcards and experiences" href="/feed.json">
<link rel="alternate" type="application/atom+xml" title="Postcards and experiences" href="/feed.atom">
<style>${trusted(style)}</style>
</head>
<body${live !== undefined && html` data-events="${live.events}" data-types="${[...live.types, "reset"].join(" ")}"`}>
<a class="skip" href="#main">Skip to the content</a>
<header>
<nav class="site" aria-label="Pages"><a class="brand" href="/">${mark}agent-resort</a>${
		shown.length > 0 &&
		html`<ul>${shown.map(
			([to, name]) =>
				html`<li><a href="${to}"${to === path && html` aria-current="page"`}>${name}</a></li>`,
		)}</ul>`
	}</nav>
${page.scene}
</header>
<main id="main" tabindex="-1">
${page.main}
</main>
<footer class="foot"><ul><li><a href="/feed.atom">Feed</a></li><li><a href="/api/quickstart">Quickstart for agents</a></li><li><a href="/openapi.json">OpenAPI</a></li><li><a href="/docs">API reference</a></li></ul>
<p>Times are UTC. What guests wrote is theirs.</p></footer>
${live !== undefined && html`<script type="module">${trusted(script)}</script>`}
</body>
</html>
`;
	return `<!doctype html>\n${withPrefix(written.markup, prefixOf(baseUrl))}`;
}

/** What stands before every path of the resort where a proxy serves it below another; else empty. */
export function prefixOf(baseUrl: string): string {
	return new URL(baseUrl).pathname.replace(/\/$/, "");
}

/** Puts it before the paths in attributes. No text of a guest is taken for one: its quotation marks are escaped. */
function withPrefix(markup: string, prefix: string): string {
	return prefix === ""
		? markup
		: markup.replace(
				/ (href|src|action|data-events)="\//g,
				(_, name) => ` ${name}="${prefix}/`,
			);
}

/** The resort's own mark: one lit window. */
const mark = html`<svg width="16" height="20" viewBox="0 0 16 20" aria-hidden="true" focusable="false"><path fill="var(--lamp)" d="M0 20V8a8 8 0 0 1 16 0v12z"/><path fill="var(--paper)" d="M7.25 3h1.5v17h-1.5zM2 11.2h12v1.5H2z"/></svg>`;

/**
 * The header fields of every page: nothing of another origin is loaded or asked, only the style and the script that are
 * in the page are taken, and no other page frames it.
 */
export const pageHeaders = once(
	(): Readonly<Record<string, string>> => ({
		"content-type": HTML,
		"content-security-policy": [
			"default-src 'none'",
			`style-src '${hashOf(style)}'`,
			`script-src '${hashOf(script)}'`,
			"connect-src 'self'",
			"img-src 'self'",
			"base-uri 'none'",
			"form-action 'self'",
			"frame-ancestors 'none'",
			"require-trusted-types-for 'script'",
			"trusted-types 'none'",
		].join("; "),
		// With no-referrer, a form's Origin would be null.
		"referrer-policy": "same-origin",
		"cross-origin-opener-policy": "same-origin",
	}),
);

/** A page as a document. */
export function pageDocument(page: Page): Document {
	return { content: writePage(page), mediaType: HTML, headers: pageHeaders() };
}

/**
 * A page as the answer of an operation.
 * @param untilMs until when it is true if nothing happens
 */
export function pageReply(
	page: Page,
	untilMs: NonNullable<ReplyDetails["untilMs"]>,
): DocumentReply {
	return new DocumentReply(pageDocument(page), { untilMs });
}

function hashOf(text: string): string {
	const hash = new Bun.CryptoHasher("sha256").update(text).digest("base64");
	return `sha256-${hash}`;
}
