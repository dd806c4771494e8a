import nginx from "../../../deploy/nginx.postgres.conf" with { type: "text" };
import backup from "../../../deploy/resort-backup-postgres.service" with { type: "text" };

/** Example files for a resort on PostgreSQL. */
export const examples = { "resort-backup-postgres.service": backup, "nginx.postgres.conf": nginx };
