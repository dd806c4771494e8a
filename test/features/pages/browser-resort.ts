import { once } from "../../../src/core/lib/once.ts";
import { makeCertificate } from "../../support/certificate.ts";
import { type Setup, TestResort } from "../../support/resort.ts";
import { browserTools, openBrowser } from "./support/browser.ts";

/** The programs that {@link openBrowserResort} requires. */
export const browserResortTools = [...browserTools, "openssl"];

/** A browser, and a resort behind a proxy that terminates TLS and removes a prefix from the path. */
export type BrowserResort = Awaited<ReturnType<typeof openBrowserResort>>;

const TIMEOUT_MS = 10_000;

const certificate = once(() => makeCertificate("localhost"));

/** The path of a page with a frame. The query is the path of the page in the frame, of the same origin. */
const FRAME = "/a-page-that-frames";

/** Starts the resort, the proxy and the browser. */
export async function openBrowserResort(prefix = "", setup: Setup = {}) {
	await using opened = new AsyncDisposableStack();
	/** The paths of requests that the proxy did not forward, because they do not begin with `prefix`. */
	const astray: string[] = [];
	let resort: TestResort | null = null;
	const proxy = Bun.serve({
		hostname: "127.0.0.1",
		port: 0,
		tls: await certificate(),
		fetch(request) {
			const { host, pathname, search } = new URL(request.url);
			if (pathname === FRAME) {
				const framed = `<iframe src="${prefix}${search.slice(1)}"></iframe>`;
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
	resort = opened.use(new TestResort({ ...setup, baseUrl: url }));
	const { browser, context } = opened.use(await openBrowser());
	context.setDefaultTimeout(TIMEOUT_MS);
	const open = opened.move();
	return { resort, url, browser, context, astray, [Symbol.asyncDispose]: () => open.disposeAsync() };
}

/** Returns the URL of a page that frames the page at `path`. */
export function framingPage({ url }: BrowserResort, path = "/me"): string {
	return new URL(`${FRAME}?${path}`, url).href;
}
