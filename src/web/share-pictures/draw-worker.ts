/**
 * A thread that converts SVG to PNG. It receives the SVG text of a picture as a message, and responds with a
 * message that contains the PNG.
 */
import { initWasm, Resvg } from "@resvg/resvg-wasm";
import wasm from "@resvg/resvg-wasm/index_bg.wasm" with { type: "file" };
import { readPictureFont } from "../../content/pictures.ts";

const loading = (async () => {
	await initWasm(await Bun.file(wasm).bytes());
	return readPictureFont();
})();

declare const self: Worker;

self.addEventListener("message", async ({ data }: MessageEvent<string>) => {
	const font = { fontBuffers: [await loading] };
	const resvg = new Resvg(data, { font });
	const image = resvg.render();
	const png = image.asPng();
	// Frees the memory explicitly, because the memory of a WebAssembly module is not garbage-collected.
	image.free();
	resvg.free();
	self.postMessage(png);
});
