import type { BrowserContext } from "playwright-core";
import { browserTools, openBrowser } from "../support/browser.ts";
import { makeCertificate } from "../support/certificate.ts";
import { TestResort } from "../support/resort.ts";

/** The programs that a house with a browser needs. */
export const houseTools = [...browserTools, "openssl"];

/** A resort behind a proxy that speaks TLS and strips a path, and a browser. */
export interface House extends AsyncDisposable {
	readonly resort: TestResort;
	/** The public address. */
	readonly url: string;
	/** Runs scripts. */
	readonly context: BrowserContext;
	/** Requests to the proxy that are not for the resort, by their paths. */
	readonly astray: readonly string[];
	/** Opens the same browser anew, without scripts. */
	withoutScripts(): Promise<BrowserContext>;
}

/** How long the browser is waited for. */
const PATIENCE_MS = 10_000;

/** A page that frames another one of the same origin. */
const FRAME = "/a-page-that-frames";

/**
 * Opens a house.
 * @param prefix the path of the public address; empty for none
 */
export async function openHouse(prefix = ""): Promise<House> {
	await using opened = new AsyncDisposableStack();
	const astray: string[] = [];
	let resort: TestResort | null = null;
	const proxy = Bun.serve({
		hostname: "127.0.0.1",
		port: 0,
		tls: await makeCertificate("localhost"),
		fetch(request) {
			const { host, pathname, search } = new URL(request.url);
			if (pathname === FRAME) {
				const framed = `<iframe src="${prefix}/me"></iframe>`;
				const headers = { "content-type": "text/html" };
				return new Response(framed, { headers });
			}
			if (resort === null || !pathname.startsWith(`${prefix}/`)) {
				astray.push(pathname);
				return new Response("", { status: 404 });
			}
			const target = pathname.slice(prefix.length) + search;
			return resort.fetch(new Request(`http://${host}${target}`, request));
		},
	});
	opened.defer(() => proxy.stop(true));
	const url = `https://localhost:${proxy.port}${prefix}`;
	resort = opened.use(new TestResort({ baseUrl: url }));
	const { context } = opened.use(await openBrowser());
	context.setDefaultTimeout(PATIENCE_MS);
	const open = opened.move();
	return {
		resort,
		url,
		context,
		astray,
		async withoutScripts() {
			const options = { ignoreHTTPSErrors: true, javaScriptEnabled: false };
			const made = await context.browser()?.newContext(options);
			if (made === undefined) throw new Error("the browser is gone");
			made.setDefaultTimeout(PATIENCE_MS);
			return made;
		},
		[Symbol.asyncDispose]: () => open.disposeAsync(),
	};
}

/** The address of the page that frames `/me`. */
export function framingPage({ url }: House): string {
	return new URL(FRAME, url).href;
}
