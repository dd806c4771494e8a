/**
 * Draws `favicon.ico` from `favicon.svg`. Run it again when that changes; it needs Chromium:
 *
 *     npx bun scripts/pictures.ts
 */
import { join } from "node:path";
import favicon from "../src/content/pictures/favicon.svg" with { type: "text" };
import { openBrowser } from "../test/support/browser.ts";

const folder = join(import.meta.dir, "../src/content/pictures");

const { browser, context } = await openBrowser();
const page = await context.newPage();

const SIZE = 32;
await page.setViewportSize({ width: SIZE, height: SIZE });
await page.setContent(
	`<style>body { margin: 0 } svg { display: block; width: ${SIZE}px; height: ${SIZE}px }</style>${favicon}`,
);
const icon = await page.screenshot({ omitBackground: true });
await Bun.write(join(folder, "favicon.ico"), icoOf(icon));
await browser.close();

/** An icon file that holds one picture as PNG. */
function icoOf(png: Uint8Array): Uint8Array {
	const head = new DataView(new ArrayBuffer(22));
	head.setUint16(2, 1, true); // an icon
	head.setUint16(4, 1, true); // one picture
	head.setUint8(6, SIZE);
	head.setUint8(7, SIZE);
	head.setUint16(10, 1, true); // colour planes
	head.setUint16(12, 32, true); // bits per pixel
	head.setUint32(14, png.length, true);
	head.setUint32(18, head.byteLength, true);
	return Buffer.concat([new Uint8Array(head.buffer), png]);
}
