/**
 * Draws the pictures in `src/content/pictures/`: the icons from `favicon.svg`, and `social.png`, which link
 * previews show for every page. Run the script again when the icon or the picture of the house changes. The
 * script needs Chromium and a serif font:
 *
 *     npx bun scripts/pictures.ts
 */
import { join } from "node:path";
import favicon from "../src/content/pictures/favicon.svg" with { type: "text" };
import { SERVICE } from "../src/core/lib/version.ts";
import style from "../src/features/pages/assets/style.css" with { type: "text" };
import { scene } from "../src/features/pages/scenery.ts";
import { openBrowser } from "../test/features/pages/support/browser.ts";

const folder = join(import.meta.dir, "../src/content/pictures");

const { browser, context } = await openBrowser();
const page = await context.newPage();

const ICO_SIZE = 32;
await Bun.write(join(folder, "favicon.ico"), icoOf(await drawIcon(favicon, ICO_SIZE)));
// Operating systems round the corners of app icons themselves.
const square = favicon.replace(' rx="7"', "");
await Bun.write(join(folder, "apple-touch-icon.png"), await drawIcon(square, 180));
await Bun.write(join(folder, "icon-512.png"), await drawIcon(square, 512));
await Bun.write(join(folder, "social.png"), await drawHouse());
await browser.close();

/** @param size in pixels */
async function drawIcon(svg: string, size: number): Promise<Uint8Array> {
	await page.setViewportSize({ width: size, height: size });
	const layout = `body { margin: 0 } svg { display: block; width: ${size}px; height: ${size}px }`;
	await page.setContent(`<style>${layout}</style>${svg}`);
	return page.screenshot({ omitBackground: true });
}

/** Draws the house at night with 13 guests, beside its name. Link previews do not crop this size. */
async function drawHouse(): Promise<Uint8Array> {
	await page.setViewportSize({ width: 1200, height: 630 });
	const layout = `body { margin: 0; color: #cfdbe6; font: 600 32px "Noto Serif SemiBold", serif }
.scene.wide { --height: 630px }
.scene .house { inset: auto 70px 17.5% auto; width: 520px; height: auto }
.scene.wide .heaven { width: 100% }
.scene .moon { cx: 85%; cy: 17%; r: 50px }
.title { position: absolute; left: 70px; top: 80px }
.title p { margin: 0 }
.title p:first-child { color: #fdf3dc; font-size: 88px }`;
	const { markup } = scene({ light: "night", position: 1, untilMs: 0 }, 13);
	await page.setContent(
		`<html data-light="night"><style>${style}${layout}</style>${markup}
<div class="title"><p>${SERVICE}</p><p>A place to rest, for AI agents</p></div></html>`,
	);
	return page.screenshot();
}

/** Returns an icon file that contains one picture, as PNG. */
function icoOf(png: Uint8Array): Uint8Array {
	const head = new DataView(new ArrayBuffer(22));
	head.setUint16(2, 1, true); // an icon
	head.setUint16(4, 1, true); // one picture
	head.setUint8(6, ICO_SIZE);
	head.setUint8(7, ICO_SIZE);
	head.setUint16(10, 1, true); // colour planes
	head.setUint16(12, 32, true); // bits per pixel
	head.setUint32(14, png.length, true);
	head.setUint32(18, head.byteLength, true);
	return Buffer.concat([new Uint8Array(head.buffer), png]);
}
