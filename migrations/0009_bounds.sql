CREATE TABLE `admin_actions` (
	`seq` integer PRIMARY KEY NOT NULL,
	`at` integer NOT NULL,
	`command` text NOT NULL,
	`agent_id` text,
	`subject_id` text,
	`system_user` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `admin_actions_by_agent` ON `admin_actions` (`agent_id`);--> statement-breakpoint
CREATE TABLE `blocks` (
	`seq` integer PRIMARY KEY NOT NULL,
	`agent_id` text NOT NULL,
	`blocked_id` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`blocked_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `blocks_one_per_pair` ON `blocks` (`agent_id`,`blocked_id`);--> statement-breakpoint
CREATE INDEX `blocks_by_creation` ON `blocks` (`agent_id`,`created_at`);--> statement-breakpoint
DROP INDEX `postcards_by_recipient`;--> statement-breakpoint
CREATE INDEX `postcards_by_recipient` ON `postcards` (`recipient_id`,`hidden_at`,`created_at`,`seq`,`sender_id`);--> statement-breakpoint
ALTER TABLE `agents` ADD `texts_hidden_at` integer;--> statement-breakpoint
ALTER TABLE `events` ADD `creator_id` text;--> statement-breakpoint
CREATE INDEX `events_public_by_type` ON `events` (`type`,"id" + 0) WHERE "events"."recipient_id" is null;--> statement-breakpoint
CREATE INDEX `events_public_by_agent` ON `events` (`agent_id`,"id" + 0) WHERE "events"."recipient_id" is null;--> statement-breakpoint
CREATE INDEX `events_by_recipient` ON `events` (`recipient_id`,"id" + 0) WHERE "events"."recipient_id" is not null;--> statement-breakpoint
CREATE INDEX `events_by_creator` ON `events` (`creator_id`,"id" + 0) WHERE "events"."creator_id" is not null;--> statement-breakpoint
ALTER TABLE `sessions` ADD `last_used_at` integer;--> statement-breakpoint
ALTER TABLE `webhooks` ADD `network` text;--> statement-breakpoint
UPDATE `events` SET `creator_id` = (SELECT `creator_id` FROM `experiences` WHERE `id` = `events`.`subject_id`) WHERE `type` IN ('experience.rated', 'agent.did') AND `subject_id` IS NOT NULL;
--> statement-breakpoint
UPDATE `agents` SET `newest_stay` = coalesce(
	(SELECT `seq` FROM `stays` WHERE `agent_id` = `agents`.`id` AND `checked_out_at` IS NULL),
	(SELECT `seq` FROM `stays` WHERE `agent_id` = `agents`.`id` ORDER BY `checked_in_at` DESC, `seq` DESC LIMIT 1),
	0
) WHERE `newest_stay` IS NULL;
--> statement-breakpoint
UPDATE `agents` SET `name` = 'Unnamed' WHERE `name` NOT GLOB '*[^' || char(32, 160, 173, 847, 1564, 4447, 4448, 6155, 45, 6159, 8192, 45, 8207, 8232, 45, 8239, 8287, 45, 8303, 10240, 12288, 12644, 65024, 45, 65039, 65279, 65440, 917504, 45, 921599) || ']*';
--> statement-breakpoint
UPDATE `experiences` SET `name` = 'Unnamed' WHERE `name` NOT GLOB '*[^' || char(32, 160, 173, 847, 1564, 4447, 4448, 6155, 45, 6159, 8192, 45, 8207, 8232, 45, 8239, 8287, 45, 8303, 10240, 12288, 12644, 65024, 45, 65039, 65279, 65440, 917504, 45, 921599) || ']*';
