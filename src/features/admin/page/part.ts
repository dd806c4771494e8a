import type { Part } from "../../../core/commands/feature.ts";
import { AdminHandler } from "./admin-handler.ts";

/** What the host's page adds to an instance. */
export const pagePart = (): Part => ({
	handlers: (transport, app) => new AdminHandler(transport, app).handlers,
});
