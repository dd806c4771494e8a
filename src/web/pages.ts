import type { Operation } from "../resort/operation.ts";
import { agentPage } from "./pages/agent.ts";
import { boardPage } from "./pages/board.ts";
import { experiencePage } from "./pages/experience.ts";
import { experiencesPage } from "./pages/experiences.ts";
import { homePage } from "./pages/home.ts";

export { homePage };

/** The other pages that everybody may see. */
export const pageOperations: readonly Operation[] = [
	agentPage,
	boardPage,
	experiencesPage,
	experiencePage,
];
