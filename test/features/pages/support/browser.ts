import { afterAll, beforeAll } from "bun:test";
import { type Browser, type BrowserContext, chromium } from "playwright-core";
import { once } from "../../../../src/core/lib/once.ts";
import { toolPath } from "../../../support/tools.ts";
import { standIn } from "../../../support/use-disposable.ts";

/** The headless shell takes half of the processor time. */
const programs = ["chromium-headless-shell", "chromium"];
const program = programs.find((name) => toolPath(name) !== null);

/** The program that a test with a browser needs. */
export const browserTools = [program ?? "chromium"];

/** A context of the browser that all tests of this program share; it closes when it is disposed of. */
export interface Browsing extends AsyncDisposable {
	readonly browser: Browser;
	/** Takes any certificate, and moves nothing: a moving page costs processor time as long as it is open. */
	readonly context: BrowserContext;
}

/** Starts Chromium, as Debian installs it, without a window. It ends when this program does. */
const launch = once(() =>
	chromium.launch({
		executablePath: toolPath(program ?? "chromium") ?? "chromium",
		// Tests may run as root, for whom there is no sandbox.
		chromiumSandbox: false,
	}),
);

/** Opens a context of Chromium. Callers close further contexts themselves. */
export async function openBrowser(): Promise<Browsing> {
	const browser = await launch();
	const context = await browser.newContext({ ignoreHTTPSErrors: true, reducedMotion: "reduce" });
	return { browser, context, [Symbol.asyncDispose]: () => context.close() };
}

/** Opens a context for the tests of the file that calls this, if there is a browser. */
export function useBrowser(): Browsing {
	let browsing: Browsing;
	beforeAll(async () => {
		if (program !== undefined) browsing = await openBrowser();
	});
	afterAll(() => browsing?.[Symbol.asyncDispose]());
	return standIn(() => browsing);
}
