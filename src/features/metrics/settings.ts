import { host, port, toggle } from "../../core/config/setting-kinds.ts";

/** The settings of metrics. */
export const settings = {
	metrics: toggle("serve Prometheus metrics at /metrics, on a separate address"),
	"metrics-host": host("address that --metrics listens on; anyone who can reach it can read the metrics"),
	"metrics-port": port("port that --metrics listens on; 0 chooses a free one", "9464"),
};
