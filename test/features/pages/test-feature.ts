import { pagesPart } from "../../../src/features/pages/part.ts";
import type { TestFeature } from "../../support/test-feature.ts";

declare module "../../support/resort.ts" {
	interface Setup {
		/** Whom to tell of a weakness; nobody by default. */
		readonly securityContact?: string;
		/** Whether there are pages for people; there are by default. */
		readonly page?: boolean;
	}
}

/** The pages for people. */
export const pages: TestFeature = {
	part: ({ page = true, securityContact = null }) => pagesPart({ page, "security-contact": securityContact }),
};
