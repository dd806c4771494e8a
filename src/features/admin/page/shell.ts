import { once } from "../../../core/lib/once.ts";
import { type Html, html } from "../../pages/html.ts";
import { compactStyle, type PageInstance, writePage } from "../../pages/html-page.ts";
import styleSource from "./assets/style.css" with { type: "text" };

/** The path of the host's page. */
export const ADMIN = "/admin";

/** A page of the host. */
export interface HostPage {
	readonly title: string;
	readonly main: Html;
	/** The path below /admin. Undefined for pages without navigation, such as the page to sign in. */
	readonly current?: string | undefined;
}

/** The names of the sections of the navigation, by their path below /admin. */
export const sections = {
	"": "Now",
	"/agents": "Agents",
	"/postcards": "Postcards",
	"/experiences": "Experiences",
	"/reviews": "Reviews",
	"/hidden": "Hidden",
	"/invites": "Invitations",
	"/history": "History",
} as const;

/** The style rules that the host's pages have in addition to those of all pages. */
export const pageStyle = once(() => compactStyle(styleSource));

/** Returns the HTML of a page of the host. */
export function writeHostPage(instance: PageInstance, { title, main, current }: HostPage): string {
	return writePage(instance, {
		title: `${title} · ${new URL(instance.baseUrl).host}`,
		description: "For the host of this resort.",
		path: null,
		isIndexed: false,
		navigation: current === undefined ? html`` : navigation(current),
		style: pageStyle(),
		main,
	});
}

function navigation(current: string): Html {
	const items = Object.entries(sections).map(([path, name]) => {
		const isCurrent = path === current || (path !== "" && current.startsWith(`${path}/`));
		return html`<li><a href="${ADMIN}${path}"${isCurrent && html` aria-current="page"`}>${name}</a></li>`;
	});
	return html`<ul>${items}<li><form method="post" action="${ADMIN}/leave"><button>Sign out</button></form></li></ul>`;
}
