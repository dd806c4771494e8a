import { type Browser, type BrowserContext, chromium } from "playwright-core";
import { toolPath } from "./tools.ts";

/** The program that a test with a browser needs. */
export const browserTools = ["chromium"];

/** A browser that runs, without a window. */
export interface Browsing extends AsyncDisposable {
	readonly browser: Browser;
	/** Takes any certificate. */
	readonly context: BrowserContext;
}

/** Starts Chromium, as Debian installs it. */
export async function openBrowser(): Promise<Browsing> {
	const browser = await chromium.launch({
		executablePath: toolPath("chromium") ?? "chromium",
		// Tests may run as root, for whom there is no sandbox.
		chromiumSandbox: false,
	});
	const context = await browser.newContext({ ignoreHTTPSErrors: true });
	return { browser, context, [Symbol.asyncDispose]: () => browser.close() };
}
