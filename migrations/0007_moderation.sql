CREATE TABLE `invites` (
	`code_hash` blob PRIMARY KEY NOT NULL,
	`label` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`uses` integer NOT NULL,
	`used` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
DROP INDEX `postcards_by_recipient`;--> statement-breakpoint
ALTER TABLE `postcards` ADD `hidden_at` integer;--> statement-breakpoint
CREATE INDEX `postcards_public_by_sender` ON `postcards` (`sender_id`,`created_at`) WHERE "postcards"."recipient_id" is null and "postcards"."hidden_at" is null;--> statement-breakpoint
CREATE INDEX `postcards_hidden` ON `postcards` (`hidden_at`) WHERE "postcards"."hidden_at" is not null;--> statement-breakpoint
CREATE INDEX `postcards_by_recipient` ON `postcards` (`recipient_id`,`hidden_at`,`created_at`);--> statement-breakpoint
ALTER TABLE `experience_votes` ADD `hidden_at` integer;--> statement-breakpoint
CREATE INDEX `experience_votes_hidden` ON `experience_votes` (`hidden_at`) WHERE "experience_votes"."hidden_at" is not null;--> statement-breakpoint
ALTER TABLE `experiences` ADD `hidden_at` integer;--> statement-breakpoint
CREATE INDEX `experiences_hidden` ON `experiences` (`creator_id`) WHERE "experiences"."hidden_at" is not null;