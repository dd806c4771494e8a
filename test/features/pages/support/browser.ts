import { afterAll, beforeAll } from "bun:test";
import { type Browser, type BrowserContext, chromium } from "playwright-core";
import { once } from "../../../../src/core/lib/once.ts";
import { toolPath } from "../../../support/tools.ts";
import { standIn } from "../../../support/use-disposable.ts";

/** The headless shell comes first, because it needs only half as much processor time as Chromium. */
const programs = ["chromium-headless-shell", "chromium"];
const program = programs.find((name) => toolPath(name) !== null);

/** The tools that a test with a browser requires. */
export const browserTools = [program ?? "chromium"];

/** A context of the browser. Disposing closes the context, but not the browser, which all tests share. */
export interface Browsing extends AsyncDisposable {
	readonly browser: Browser;
	/** Accepts any certificate, and prefers reduced motion, because animations cost processor time. */
	readonly context: BrowserContext;
}

/** Starts Debian's Chromium without a window. The browser ends with this process. */
const launch = once(() =>
	chromium.launch({
		executablePath: toolPath(program ?? "chromium") ?? "chromium",
		// Tests may run as root, and Chromium has no sandbox for root.
		chromiumSandbox: false,
	}),
);

/** Opens a context in the shared browser. A caller that creates further contexts must close them. */
export async function openBrowser(): Promise<Browsing> {
	const browser = await launch();
	const context = await browser.newContext({ ignoreHTTPSErrors: true, reducedMotion: "reduce" });
	return { browser, context, [Symbol.asyncDispose]: () => context.close() };
}

/** Opens a context for the tests of the calling file, if a browser is installed. */
export function useBrowser(): Browsing {
	let browsing: Browsing;
	beforeAll(async () => {
		if (program !== undefined) browsing = await openBrowser();
	});
	afterAll(() => browsing?.[Symbol.asyncDispose]());
	return standIn(() => browsing);
}
