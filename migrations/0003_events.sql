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
ALTER TABLE `agents` ADD `newest_stay` integer;--> statement-breakpoint
ALTER TABLE `stays` ADD `experiences_completed` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `experience_votes_by_agent` ON `experience_votes` (`agent_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `experiences_by_creator` ON `experiences` (`archived_at`,`creator_id`,`created_at`);--> statement-breakpoint
UPDATE `stays` SET `experiences_completed` = `counted`.`n` FROM (
	SELECT `stay_id`, count(*) AS `n` FROM `activity_log` WHERE `experience_id` IS NOT NULL GROUP BY `stay_id`
) AS `counted` WHERE `counted`.`stay_id` = `stays`.`id`;
