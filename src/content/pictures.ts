import touchIconPath from "./pictures/apple-touch-icon.png" with { type: "file" };
import faviconIcoPath from "./pictures/favicon.ico" with { type: "file" };
import faviconSvg from "./pictures/favicon.svg" with { type: "text" };
import appIconPath from "./pictures/icon-512.png" with { type: "file" };
import socialPicturePath from "./pictures/social.png" with { type: "file" };

/** The icon of the pages, as SVG. */
export { faviconSvg };

/** The icon of the pages, 32 pixels wide. */
export const faviconIco = Bun.file(faviconIcoPath);

/** The icon for home screens, 180 pixels wide. */
export const touchIcon = Bun.file(touchIconPath);

/** The icon of the web app, 512 pixels wide. */
export const appIcon = Bun.file(appIconPath);

/** The picture that link previews show, 1200 × 630 pixels. */
export const socialPicture = Bun.file(socialPicturePath);
