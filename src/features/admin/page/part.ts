import type { App, Part } from "../../../core/commands/feature.ts";
import type { PersonalTable } from "../../../core/store/personal-table.ts";
import { createPersonalData } from "../queries.ts";
import { AdminHandler } from "./admin-handler.ts";
import { CallCounter } from "./call-counter.ts";
import { overviewPage } from "./overview-page.ts";
import { ADMIN } from "./shell.ts";
import { keepStatistics } from "./statistics.ts";

/**
 * Returns what the host's page adds to an instance.
 * @param personalTables the tables with data of agents in other features
 */
export function pagePart(personalTables: readonly PersonalTable[]): Part {
	const calls = new CallCounter(Date.now);
	const personalData = createPersonalData(personalTables);
	let examine: App["examine"] = async () => [];
	return {
		observe({ status, route }) {
			if (route !== ADMIN) calls.count(status);
		},
		handlers: (transport, app) =>
			new AdminHandler(transport, app, {
				personalData,
				overview: async () => overviewPage(app, calls, await examine()),
			}).handlers,
		attach({ services, log }) {
			const stopping = new AbortController();
			let keeping = Promise.resolve();
			return {
				start(app) {
					({ examine } = app);
					keeping = keepStatistics(services, log, stopping.signal);
				},
				/** Waits until nothing is being stored. */
				async stop() {
					stopping.abort();
					await keeping;
				},
			};
		},
	};
}
