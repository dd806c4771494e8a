import { loadPersonalTables } from "../../../src/cli/features.ts";
import { openStore } from "../../../src/core/store/sqlite/sqlite-store.ts";
import { pagePart } from "../../../src/features/admin/page/part.ts";
import type { Body } from "../../support/body.ts";
import type { Answered } from "../../support/calls.ts";
import { memoryLog } from "../../support/log.ts";
import type { TestFeature } from "../../support/test-feature.ts";
import { askAdministration } from "./ask-administration.ts";

declare module "../../support/resort.ts" {
	interface Setup {
		/** Whether to serve the host's page; off by default. */
		readonly adminPage?: boolean;
	}
	interface TestResort {
		/**
		 * Runs an operation of the administration. On a file, it uses its own connection, as `resort admin` does.
		 */
		host(method: string, path: string, body?: object): Promise<Answered>;
		/**
		 * Like {@link host} with POST.
		 * @throws Error if the operation fails
		 */
		byHost(path: string, body?: object): Promise<Body>;
	}
}

const personalTables = await loadPersonalTables();

/** Adds the operations of the host to the resorts of tests. */
export const admin: TestFeature = {
	part: ({ adminPage = false }) => (adminPage ? pagePart(personalTables) : null),
	members: (resort) => ({
		async host(method, path, body) {
			const { file } = resort;
			const store = file === null ? resort.context.store : openStore(file, "administer");
			const context = { ...resort.context, store };
			try {
				return await askAdministration(context, memoryLog(resort.log), { method, path, body });
			} finally {
				if (file !== null) await store.close();
			}
		},
		async byHost(path, body) {
			const { status, text, body: told } = await resort.host("POST", path, body);
			if (status > 201) throw new Error(`${path}: ${status} ${text}`);
			return told;
		},
	}),
};
