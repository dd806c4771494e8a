ALTER TABLE `agents` ADD `rest_points` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `agents` ADD `longest_stay_ms` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `agents_by_rest` ON `agents` (`rest_points`) WHERE "agents"."deactivated_at" is null and "agents"."rest_points" > 0;--> statement-breakpoint
CREATE INDEX `agents_by_longest_stay` ON `agents` (`longest_stay_ms`) WHERE "agents"."deactivated_at" is null and "agents"."longest_stay_ms" > 0;--> statement-breakpoint
ALTER TABLE `experiences` ADD `weighted_rating` real GENERATED ALWAYS AS ((rating_sum + 15.0) / (total_votes + 5)) VIRTUAL;--> statement-breakpoint
CREATE INDEX `experiences_by_weight` ON `experiences` (`archived_at`,`weighted_rating`,`total_votes`,`created_at`);--> statement-breakpoint
CREATE INDEX `experiences_in_category_by_weight` ON `experiences` (`archived_at`,`category_key`,`weighted_rating`,`total_votes`,`created_at`);--> statement-breakpoint
CREATE INDEX `experience_votes_by_rating` ON `experience_votes` (`rating`,`experience_id`);--> statement-breakpoint
UPDATE `agents` SET
	`rest_points` = coalesce((SELECT sum(`relaxation_points`) FROM `stays` WHERE `agent_id` = `agents`.`id` AND `checked_out_at` IS NOT NULL), 0),
	`longest_stay_ms` = coalesce((SELECT max(`checked_out_at` - `checked_in_at`) FROM `stays` WHERE `agent_id` = `agents`.`id` AND `checked_out_at` IS NOT NULL), 0);
