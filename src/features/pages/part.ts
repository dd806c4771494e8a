import type { Part } from "../../core/commands/feature.ts";
import type { Values } from "../../core/config/setting.ts";
import { failurePage } from "./failure-page.ts";
import { feedOperations } from "./feeds/operations.ts";
import { pageDocument } from "./html-page.ts";
import { MeHandler } from "./me/me-handler.ts";
import { webOperations } from "./operations.ts";
import { referenceOperations } from "./reference/operations.ts";
import type { settings } from "./settings.ts";
import { badgeOperations } from "./status-badges/operations.ts";

declare module "../../core/resort/context.ts" {
	interface Context {
		/** Whether the instance has pages for people. Badges, feeds and the reference exist without them. */
		readonly page?: boolean;
	}
}

/** The operations that the OpenAPI document describes. */
const pagesOperations = [...badgeOperations, ...feedOperations, ...referenceOperations];

/** Returns the operations, the handlers and the failure page that this feature adds to an instance. */
export function pagesPart({ page, "security-contact": contact }: Values<typeof settings>): Part {
	return {
		operations: pagesOperations,
		unlisted: webOperations(contact, page),
		attach: () => ({ context: { page } }),
		...(page && {
			failurePage: (context) => (status, body) => pageDocument(context, failurePage(status, body)),
			handlers: (transport) => new MeHandler(transport).handlers,
		}),
	};
}
