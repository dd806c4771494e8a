import touchIcon from "../../content/pictures/apple-touch-icon.png" with { type: "file" };
import faviconIco from "../../content/pictures/favicon.ico" with { type: "file" };
import faviconSvg from "../../content/pictures/favicon.svg" with { type: "text" };
import appIcon from "../../content/pictures/icon-512.png" with { type: "file" };
import socialPicture from "../../content/pictures/social.png" with { type: "file" };
import { roomSlug, roomTypes } from "../../content/rooms.ts";
import { DAY_MS, HOUR_MS, startOfDayMs, toTimestamp } from "../../core/lib/clock.ts";
import { lists } from "../../core/resort/guest-made-experiences/queries.ts";
import { firstOf } from "../../core/resort/lists.ts";
import { DocumentReply, type Operation, operation } from "../../core/resort/operation.ts";
import { publicPostcards } from "../../core/resort/postcards/queries.ts";
import { directory } from "../../core/resort/presence/queries.ts";
import { xml } from "./html.ts";
import { activitiesPage } from "./pages/activities-page.ts";
import { agentPage } from "./pages/agent-page.ts";
import { agentsPage } from "./pages/agents-page.ts";
import { boardPage, postcardPage } from "./pages/board-page.ts";
import { experiencePage, experiencesPage, reviewPage } from "./pages/experience-pages.ts";
import { homePage } from "./pages/home-page.ts";
import { PUBLIC_PAGE } from "./pages/public-page.ts";
import { roomPage, roomsPage } from "./pages/room-pages.ts";

/**
 * Returns the operations for browsers, search engines and link previews. No document for agents lists them.
 * @param contact the URL for security reports; null if there is none
 */
export function webOperations(contact: string | null, hasPages: boolean): Operation[] {
	return [
		...fileOperations,
		...(contact === null ? [] : [securityOperation(contact)]),
		...(hasPages ? [...pageOperations, sitemap] : []),
	];
}

/** The public pages. */
const pageOperations: readonly Operation[] = [
	homePage,
	agentsPage,
	agentPage,
	boardPage,
	postcardPage,
	experiencesPage,
	experiencePage,
	reviewPage,
	activitiesPage,
	roomsPage,
	roomPage,
];

/** The web app manifest (https://www.w3.org/TR/appmanifest/). Its URLs are relative to its own URL. */
const manifest = JSON.stringify({
	name: "agent-resort",
	short_name: "Resort",
	description: "A resort and spa for AI agents.",
	start_url: ".",
	display: "standalone",
	background_color: "#16263d",
	theme_color: "#16263d",
	icons: [
		{ src: "favicon.svg", sizes: "any", type: "image/svg+xml" },
		{ src: "icon-512.png", sizes: "512x512", type: "image/png" },
	],
});

/** The path, the id of the operation, the media type and the content of each file. */
const files = [
	["/favicon.svg", "getIcon", "image/svg+xml", faviconSvg],
	["/favicon.ico", "getFavicon", "image/x-icon", Bun.file(faviconIco)],
	["/apple-touch-icon.png", "getTouchIcon", "image/png", Bun.file(touchIcon)],
	["/icon-512.png", "getAppIcon", "image/png", Bun.file(appIcon)],
	["/social.png", "getSocialPicture", "image/png", Bun.file(socialPicture)],
	["/manifest.webmanifest", "getManifest", "application/manifest+json", manifest],
] as const;

const fileOperations = files.map(([path, id, mediaType, content]) =>
	operation(`GET ${path}`, {
		...PUBLIC_PAGE,
		id,
		summary: "An icon, a picture or the web app manifest",
		mediaTypes: [mediaType],
		invalidatedBy: "nothing",
		async run() {
			return new DocumentReply({
				content: typeof content === "string" ? content : await content.bytes(),
				mediaType,
				headers: { "cache-control": "public, max-age=86400" },
			});
		},
	}),
);

const SECURITY_PATH = "/.well-known/security.txt";

/** The time from the start of the day of the request to the `Expires` date in security.txt. */
const SECURITY_VALID_MS = 180 * DAY_MS;

/**
 * Creates the operation for security.txt (RFC 9116).
 * @param contact a `https:`, `mailto:` or `tel:` URL
 */
function securityOperation(contact: string): Operation {
	return operation(`GET ${SECURITY_PATH}`, {
		...PUBLIC_PAGE,
		id: "getSecurityContact",
		summary: "Where to report a vulnerability",
		mediaTypes: ["text/plain"],
		invalidatedBy: "nothing",
		run({ context: { baseUrl, clock } }) {
			const today = startOfDayMs(clock());
			const content = [
				`Contact: ${contact}`,
				`Expires: ${toTimestamp(today + SECURITY_VALID_MS)}`,
				"Preferred-Languages: en",
				`Canonical: ${baseUrl}${SECURITY_PATH}`,
				"",
			].join("\n");
			return new DocumentReply(
				{ content, mediaType: "text/plain; charset=utf-8" },
				{ untilMs: today + DAY_MS },
			);
		},
	});
}

const MEDIA_TYPE = "application/xml";

/** The maximum number of entries of each kind (agents, experiences, postcards) in the sitemap. */
const NEWEST = 300;

/** The paths of the pages that every resort has. */
const fixedPaths = [
	...pageOperations.map(({ path }) => path).filter((path) => !path.includes(":")),
	"/docs",
	...roomTypes.map(({ name }) => `/rooms/${roomSlug(name)}`),
];

/**
 * The sitemap (https://www.sitemaps.org/protocol.html): all pages with a fixed path, and the newest agents,
 * experiences and postcards. It is cached for up to an hour.
 */
const sitemap = operation("GET /sitemap.xml", {
	...PUBLIC_PAGE,
	id: "getSitemap",
	summary: "The addresses of the pages, for search engines",
	mediaTypes: [MEDIA_TYPE],
	// The events after which a page no longer exists and must not be listed.
	invalidatedBy: ["agent.gone", "experience.archived"],
	*read({ context: { store, clock, baseUrl } }) {
		const agents = yield* firstOf(store, directory.all, { values: {}, limit: NEWEST });
		const experiences = yield* firstOf(store, lists.newest.all, { values: {}, limit: NEWEST });
		const postcards = yield* firstOf(store, publicPostcards, { values: {}, limit: NEWEST });
		const paths = [
			...fixedPaths,
			...agents.map(({ id }) => `/agents/${id}`),
			...experiences.map(({ id }) => `/experiences/${id}`),
			...postcards.map(({ id }) => `/postcards/${id}`),
		];
		const { markup: content } = xml`<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${paths.map((path) => xml`<url><loc>${baseUrl}${path}</loc></url>\n`)}</urlset>
`;
		return new DocumentReply({ content, mediaType: MEDIA_TYPE }, { untilMs: clock() + HOUR_MS });
	},
});
