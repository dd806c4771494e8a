import {
	faviconSvg,
	readFavicon,
	readSocialPicture,
} from "../content/pictures.ts";
import { DAY_MS, startOfDayMs, toTimestamp } from "../lib/clock.ts";
import { type Operation, operation } from "../resort/operation.ts";
import { type Document, DocumentReply } from "../resort/reply.ts";
import { agentPage } from "./pages/agent-page.ts";
import { boardPage } from "./pages/board-page.ts";
import { experiencePage, experiencesPage } from "./pages/experience-pages.ts";
import { PUBLIC_PAGE } from "./pages/public-page.ts";

/** The public pages except `/`. */
export const pageOperations: readonly Operation[] = [
	agentPage,
	boardPage,
	experiencesPage,
	experiencePage,
];

/** Makes the operation of a picture, which may be cached for a day. */
function picture(
	id: string,
	path: string,
	summary: string,
	mediaType: string,
	read: () => Document["content"] | Promise<Document["content"]>,
): Operation {
	return operation({
		...PUBLIC_PAGE,
		id,
		path,
		summary,
		mediaTypes: [mediaType],
		invalidatedBy: "nothing",
		run: async () =>
			new DocumentReply({
				content: await read(),
				mediaType,
				headers: { "cache-control": "public, max-age=86400" },
			}),
	});
}

/** The pictures that browsers and link previews load. */
export const pictureOperations: readonly Operation[] = [
	picture(
		"getIcon",
		"/favicon.svg",
		"The icon",
		"image/svg+xml",
		() => faviconSvg,
	),
	picture(
		"getFavicon",
		"/favicon.ico",
		"The icon, where browsers look for it",
		"image/x-icon",
		readFavicon,
	),
	picture(
		"getSocialPicture",
		"/social.png",
		"The picture of link previews",
		"image/png",
		readSocialPicture,
	),
];

const SECURITY_PATH = "/.well-known/security.txt";

/** The time until `Expires` of the file, from the day of the request. */
const SECURITY_VALID_MS = 180 * DAY_MS;

/**
 * Makes the operation of security.txt (RFC 9116).
 * @param contact a `https:`, `mailto:` or `tel:` address
 */
export function securityOperation(contact: string): Operation {
	return operation({
		...PUBLIC_PAGE,
		id: "getSecurityContact",
		path: SECURITY_PATH,
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
