import alerts from "../../../deploy/alerts.yml" with { type: "text" };
import dashboard from "../../../deploy/grafana-dashboard.json";

/** Example files for Prometheus and Grafana. */
export const examples = { "grafana-dashboard.json": dashboard, "alerts.yml": alerts };
