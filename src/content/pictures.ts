import faviconIco from "./pictures/favicon.ico" with { type: "file" };
import faviconSvg from "./pictures/favicon.svg" with { type: "text" };
import font from "./pictures/noto-serif-semibold.ttf" with { type: "file" };

/** The icon of the pages, as SVG. */
export { faviconSvg };

/** Reads the icon for `/favicon.ico`. */
export function readFavicon(): Promise<Uint8Array<ArrayBuffer>> {
	return Bun.file(faviconIco).bytes();
}

/**
 * Reads the font of the drawn pictures, Noto Serif SemiBold. It contains Latin, Greek and Cyrillic
 * characters.
 */
export function readPictureFont(): Promise<Uint8Array<ArrayBuffer>> {
	return Bun.file(font).bytes();
}
