import { pagesPart } from "../../../src/features/pages/part.ts";
import type { TestFeature } from "../../support/test-feature.ts";

declare module "../../support/resort.ts" {
	interface Setup {
		/** The contact for security reports; none by default. */
		readonly securityContact?: string;
		/** Whether the resort has pages for people; true by default. */
		readonly page?: boolean;
	}
}

/** Adds the pages for people to the resorts of tests. */
export const pages: TestFeature = {
	part: ({ page = true, securityContact = null }) => pagesPart({ page, "security-contact": securityContact }),
};
