import {
	faviconSvg,
	readFavicon,
	readSocialPicture,
} from "../content/pictures.ts";
import { type Operation, operation } from "../resort/operation.ts";
import { type Document, DocumentReply } from "../resort/reply.ts";
import { PAGE } from "./page-operation.ts";

/** A picture that browsers and other sites ask for. */
interface Picture {
	readonly path: string;
	readonly id: string;
	readonly summary: string;
	readonly mediaType: string;
	read(): Document["content"] | Promise<Document["content"]>;
}

const pictures: readonly Picture[] = [
	{
		path: "/favicon.svg",
		id: "getIcon",
		summary: "The icon",
		mediaType: "image/svg+xml",
		read: () => faviconSvg,
	},
	{
		path: "/favicon.ico",
		id: "getFavicon",
		summary: "The icon, where browsers look for it",
		mediaType: "image/x-icon",
		read: readFavicon,
	},
	{
		path: "/social.png",
		id: "getSocialPicture",
		summary: "What other sites show beside a link",
		mediaType: "image/png",
		read: readSocialPicture,
	},
];

/** How long a picture may be kept, in seconds. */
const DAY_SECONDS = 86_400;

/** The pictures of the pages. */
export const pictureOperations: readonly Operation[] = pictures.map(
	({ path, id, summary, mediaType, read }) =>
		operation({
			...PAGE,
			id,
			path,
			summary,
			mediaTypes: [mediaType],
			invalidatedBy: "nothing",
			run: async () =>
				new DocumentReply({
					content: await read(),
					mediaType,
					headers: { "cache-control": `public, max-age=${DAY_SECONDS}` },
				}),
		}),
);
