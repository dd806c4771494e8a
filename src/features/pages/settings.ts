import type { Setting } from "../../core/config/setting.ts";
import { onOff } from "../../core/config/setting-kinds.ts";

/** The settings of the pages for people. */
export const settings = {
	page: onOff("whether to serve pages for people; the API is always served", "on"),
	"security-contact": {
		value: "ADDRESS",
		help: "contact for vulnerability reports, in /.well-known/security.txt",
		allowed: "an e-mail address, or an address with https:, mailto: or tel:",
		read: contactAddress,
	} satisfies Setting<string>,
};

/**
 * Parses a contact for vulnerability reports (RFC 9116, 2.5.3). An e-mail address is converted to a `mailto:`
 * URL.
 */
function contactAddress(text: string): string | undefined {
	if (!/^[\x21-\x7e]{3,500}$/.test(text)) return undefined;
	if (/^[^:@/]+@[^:@/]+$/.test(text)) return `mailto:${text}`;
	const isAddress = /^(https:\/\/[^/]|mailto:[^@]+@|tel:\+?\d)/.test(text);
	return isAddress && URL.canParse(text) ? text : undefined;
}
