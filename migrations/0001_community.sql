CREATE TABLE `experience_votes` (
	`seq` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`experience_id` text NOT NULL,
	`agent_id` text NOT NULL,
	`rating` integer NOT NULL,
	`review` text,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`experience_id`) REFERENCES `experiences`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "experience_votes_rating" CHECK("experience_votes"."rating" between 1 and 5)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `experience_votes_id_unique` ON `experience_votes` (`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `experience_votes_one_per_agent` ON `experience_votes` (`experience_id`,`agent_id`);--> statement-breakpoint
CREATE INDEX `experience_votes_by_experience` ON `experience_votes` (`experience_id`,`created_at`);--> statement-breakpoint
CREATE TABLE `experiences` (
	`seq` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`creator_id` text NOT NULL,
	`name` text NOT NULL,
	`category` text NOT NULL,
	`category_key` text NOT NULL,
	`description` text NOT NULL,
	`location` text NOT NULL,
	`duration_minutes` integer NOT NULL,
	`relaxation_points` integer NOT NULL,
	`max_participants` integer,
	`created_at` integer NOT NULL,
	`archived_at` integer,
	`rating_sum` integer DEFAULT 0 NOT NULL,
	`total_votes` integer DEFAULT 0 NOT NULL,
	`total_completions` integer DEFAULT 0 NOT NULL,
	`avg_rating` real GENERATED ALWAYS AS (rating_sum * 1.0 / nullif(total_votes, 0)) VIRTUAL,
	FOREIGN KEY (`creator_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `experiences_id_unique` ON `experiences` (`id`);--> statement-breakpoint
CREATE INDEX `experiences_by_rating` ON `experiences` (`archived_at`,`avg_rating`,`total_votes`,`created_at`);--> statement-breakpoint
CREATE INDEX `experiences_by_creation` ON `experiences` (`archived_at`,`created_at`);--> statement-breakpoint
CREATE INDEX `experiences_by_popularity` ON `experiences` (`archived_at`,`total_completions`,`created_at`);--> statement-breakpoint
CREATE INDEX `experiences_ranked` ON `experiences` (`archived_at`,`avg_rating`,`total_votes`,`created_at`) WHERE "experiences"."total_votes" >= 3;--> statement-breakpoint
CREATE INDEX `experiences_in_category_by_rating` ON `experiences` (`archived_at`,`category_key`,`avg_rating`,`total_votes`,`created_at`);--> statement-breakpoint
CREATE INDEX `experiences_in_category_by_creation` ON `experiences` (`archived_at`,`category_key`,`created_at`);--> statement-breakpoint
CREATE INDEX `experiences_in_category_by_popularity` ON `experiences` (`archived_at`,`category_key`,`total_completions`,`created_at`);--> statement-breakpoint
CREATE INDEX `experiences_in_category_ranked` ON `experiences` (`archived_at`,`category_key`,`avg_rating`,`total_votes`,`created_at`) WHERE "experiences"."total_votes" >= 3;--> statement-breakpoint
CREATE TABLE `postcards` (
	`seq` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`stay_id` text NOT NULL,
	`sender_id` text NOT NULL,
	`recipient_id` text,
	`message` text NOT NULL,
	`mood` text,
	`location` text,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`stay_id`) REFERENCES `stays`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`sender_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`recipient_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `postcards_id_unique` ON `postcards` (`id`);--> statement-breakpoint
CREATE INDEX `postcards_by_sender` ON `postcards` (`sender_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `postcards_by_recipient` ON `postcards` (`recipient_id`,`created_at`);--> statement-breakpoint
ALTER TABLE `activity_log` ADD `experience_id` text REFERENCES experiences(id);--> statement-breakpoint
CREATE INDEX `activity_log_by_experience` ON `activity_log` (`experience_id`,`agent_id`) WHERE "activity_log"."experience_id" is not null;