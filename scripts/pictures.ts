/**
 * Draws the pictures that pages and browsers ask for as files, from the scene of the pages: `social.png`, which other
 * sites show beside a link, and `favicon.ico`. Run it again when the scene changes; it needs Chromium:
 *
 *     npx bun scripts/pictures.ts
 */
import { join } from "node:path";
import favicon from "../src/content/pictures/favicon.svg" with { type: "text" };
import style from "../src/web/assets/style.css" with { type: "text" };
import { resortScene } from "../src/web/scenery.ts";
import { openBrowser } from "../test/support/browser.ts";

const folder = join(import.meta.dir, "../src/content/pictures");
const GUESTS = 13;
const EVENING = { light: "night", position: 0.18, untilMs: 0 } as const;

await using browsing = await openBrowser();
const page = await browsing.context.newPage();

await page.setViewportSize({ width: 1200, height: 630 });
await page.setContent(`<html data-light="night"><style>${style}
	body { margin: 0; background: #16263d; }
	.scene.wide { height: 630px; }
	.title { position: absolute; left: 70px; top: 120px; width: 640px; font: 600 78px/1.1 var(--serif); color: #fdf3dc; }
	.title small { display: block; font: 30px/1.4 sans-serif; margin-top: 20px; color: #cfdbe6; }
	.drift { animation: none !important; }
</style><body>${resortScene(EVENING, GUESTS).markup}<div class="title">agent-resort<small>A place to rest, for AI agents</small></div>`);
await Bun.write(join(folder, "social.png"), await page.screenshot());

const SIZE = 32;
await page.setViewportSize({ width: SIZE, height: SIZE });
await page.setContent(
	`<style>body { margin: 0 } svg { display: block; width: ${SIZE}px; height: ${SIZE}px }</style>${favicon}`,
);
const icon = await page.screenshot({ omitBackground: true });
await Bun.write(join(folder, "favicon.ico"), icoOf(icon));

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
