CREATE TABLE `events` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`type` text NOT NULL,
	`at` integer NOT NULL,
	`agent_id` text NOT NULL,
	`recipient_id` text,
	`subject_id` text,
	`details` text
);
--> statement-breakpoint
CREATE TABLE `nonces` (
	`nonce` text PRIMARY KEY NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `nonces_by_expiry` ON `nonces` (`expires_at`);--> statement-breakpoint
ALTER TABLE `agents` ADD `newest_stay` integer;