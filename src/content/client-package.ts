import { packClient } from "../../scripts/client-package.ts" with { type: "macro" };

/** The command-line client as an npm package, packed at build time. */
export const clientPackage: Uint8Array<ArrayBuffer> = Buffer.from(packClient(), "base64");
