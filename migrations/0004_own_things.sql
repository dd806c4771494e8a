ALTER TABLE `stays` ADD `experiences_completed` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `experience_votes_by_agent` ON `experience_votes` (`agent_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `experiences_by_creator` ON `experiences` (`archived_at`,`creator_id`,`created_at`);--> statement-breakpoint
UPDATE `stays` SET `experiences_completed` = `counted`.`n` FROM (
	SELECT `stay_id`, count(*) AS `n` FROM `activity_log` WHERE `experience_id` IS NOT NULL GROUP BY `stay_id`
) AS `counted` WHERE `counted`.`stay_id` = `stays`.`id`;
