import { onOff } from "../../core/config/setting-kinds.ts";

/** The settings of the host's page. */
export const settings = {
	"admin-page": onOff(
		"whether to serve the host's page at /admin; resort admin page prints the link to it",
		"off",
	),
};
