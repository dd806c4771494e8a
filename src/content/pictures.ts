import faviconIco from "./pictures/favicon.ico" with { type: "file" };
import faviconSvg from "./pictures/favicon.svg" with { type: "text" };
import social from "./pictures/social.png" with { type: "file" };

/** The icon of the pages, as SVG. */
export { faviconSvg };

/** Reads the icon for `/favicon.ico`. */
export function readFavicon(): Promise<Uint8Array<ArrayBuffer>> {
	return Bun.file(faviconIco).bytes();
}

/** Reads the picture of link previews: 1200 by 630, as PNG. */
export function readSocialPicture(): Promise<Uint8Array<ArrayBuffer>> {
	return Bun.file(social).bytes();
}
