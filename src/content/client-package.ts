import { packClient } from "../../scripts/client-package.ts" with {
	type: "macro",
};

/** The command-line client as an npm package; it is made when the program is built. */
export const clientPackage: Uint8Array<ArrayBuffer> = Buffer.from(
	packClient(),
	"base64",
);
