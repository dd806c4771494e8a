import type { App, Part } from "../../../core/commands/feature.ts";
import { AdminHandler } from "./admin-handler.ts";
import { CallCounter } from "./call-counter.ts";
import { overviewPage } from "./overview-page.ts";
import { HourlyStatistics } from "./statistics.ts";

/** Returns what the host's page adds to an instance. */
export function pagePart(): Part {
	const calls = new CallCounter(Date.now);
	let examine: App["examine"] = async () => [];
	return {
		observe: ({ status }) => calls.count(status),
		handlers: (transport, app) =>
			new AdminHandler(transport, app, async () => overviewPage(app, calls, await examine())).handlers,
		attach({ services, log }) {
			const statistics = new HourlyStatistics(services, log);
			return {
				start(app) {
					({ examine } = app);
					statistics.start();
				},
				stop: () => statistics.stop(),
			};
		},
	};
}
