import type { Part } from "../../../core/commands/feature.ts";
import type { PersonalTable } from "../../../core/store/personal-table.ts";
import { createPersonalData } from "../queries.ts";
import { AdminHandler } from "./admin-handler.ts";

/**
 * Returns what the host's page adds to an instance.
 * @param personalTables the tables of features with data of agents
 */
export function pagePart(personalTables: readonly PersonalTable[]): Part {
	const personalData = createPersonalData(personalTables);
	return { handlers: (transport, app) => new AdminHandler(transport, app, personalData).handlers };
}
