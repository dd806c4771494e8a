CREATE TABLE `idempotency_keys` (
	`seq` integer PRIMARY KEY NOT NULL,
	`key_hash` blob NOT NULL,
	`scope` text NOT NULL,
	`sealed_answer` blob NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `idempotency_keys_one_per_key` ON `idempotency_keys` (`key_hash`);--> statement-breakpoint
CREATE INDEX `idempotency_keys_by_scope` ON `idempotency_keys` (`scope`);--> statement-breakpoint
CREATE INDEX `idempotency_keys_by_expiry` ON `idempotency_keys` (`expires_at`);--> statement-breakpoint
CREATE INDEX `agents_by_newest_stay` ON `agents` (`newest_stay`,`deactivated_at`,`name`) WHERE "agents"."newest_stay" > 0 and "agents"."deactivated_at" is null;--> statement-breakpoint
CREATE INDEX `agents_by_name` ON `agents` (lower("name"),`newest_stay`) WHERE "agents"."newest_stay" > 0 and "agents"."deactivated_at" is null;--> statement-breakpoint
CREATE INDEX `postcards_between` ON `postcards` (`sender_id`,`recipient_id`,`created_at`) WHERE "postcards"."recipient_id" is not null;