import type { Values } from "../../core/config/setting.ts";
import { integer } from "../../core/config/setting-kinds.ts";

/** The bounds of `--database-connections`. At least two connections are for writes and two for reads. */
const MIN_CONNECTIONS = 4;
const MAX_CONNECTIONS = 1000;

/** The settings of the engine. */
export const settings = {
	"database-connections": {
		...integer(
			"connections to PostgreSQL, half of them for writes; only with a postgres:// --database",
			MAX_CONNECTIONS,
			MIN_CONNECTIONS,
		),
		preset: "16",
	},
};

/** The values of the settings. */
export type PostgresConfig = Values<typeof settings>;
