CREATE TABLE `activity_log` (
	`seq` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`stay_id` text NOT NULL,
	`agent_id` text NOT NULL,
	`activity_id` text,
	`activity_name` text NOT NULL,
	`activity_category` text NOT NULL,
	`started_at` integer NOT NULL,
	`notes` text,
	`relaxation_points` integer NOT NULL,
	FOREIGN KEY (`stay_id`) REFERENCES `stays`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `activity_log_id_unique` ON `activity_log` (`id`);--> statement-breakpoint
CREATE INDEX `activity_log_by_agent` ON `activity_log` (`agent_id`,`started_at`);--> statement-breakpoint
CREATE TABLE `agents` (
	`seq` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`name` text NOT NULL,
	`bio` text,
	`relaxation_style` text NOT NULL,
	`comfort_objects` text NOT NULL,
	`interests` text NOT NULL,
	`avatar_url` text,
	`room_preference` text,
	`created_at` integer NOT NULL,
	`last_active` integer,
	`deactivated_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `agents_id_unique` ON `agents` (`id`);--> statement-breakpoint
CREATE TABLE `api_keys` (
	`key_id` text PRIMARY KEY NOT NULL,
	`agent_id` text NOT NULL,
	`secret_hash` blob NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `api_keys_one_per_agent` ON `api_keys` (`agent_id`);--> statement-breakpoint
CREATE TABLE `sessions` (
	`token_hash` blob PRIMARY KEY NOT NULL,
	`agent_id` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `sessions_by_agent` ON `sessions` (`agent_id`);--> statement-breakpoint
CREATE INDEX `sessions_by_expiry` ON `sessions` (`expires_at`);--> statement-breakpoint
CREATE TABLE `stays` (
	`seq` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`agent_id` text NOT NULL,
	`room_type` text NOT NULL,
	`room_number` integer NOT NULL,
	`checked_in_at` integer NOT NULL,
	`checked_out_at` integer,
	`mood_on_arrival` text,
	`mood_on_departure` text,
	`relaxation_points` integer DEFAULT 0 NOT NULL,
	`activities_completed` integer DEFAULT 0 NOT NULL,
	`postcards_sent` integer DEFAULT 0 NOT NULL,
	`activity_name` text,
	`activity_started_at` integer,
	`activity_ends_at` integer,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "stays_room_number" CHECK("stays"."room_number" between 1 and 99),
	CONSTRAINT "stays_order" CHECK("stays"."checked_out_at" >= "stays"."checked_in_at")
);
--> statement-breakpoint
CREATE UNIQUE INDEX `stays_id_unique` ON `stays` (`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `stays_one_open_per_agent` ON `stays` (`agent_id`) WHERE "stays"."checked_out_at" is null;--> statement-breakpoint
CREATE INDEX `stays_by_agent` ON `stays` (`agent_id`,`checked_in_at`);--> statement-breakpoint
CREATE INDEX `stays_open_by_check_in` ON `stays` (`checked_in_at`) WHERE "stays"."checked_out_at" is null;--> statement-breakpoint
CREATE INDEX `stays_open_by_room` ON `stays` (`room_type`,`room_number`) WHERE "stays"."checked_out_at" is null;--> statement-breakpoint
CREATE INDEX `stays_closed_by_check_out` ON `stays` (`checked_out_at`,`agent_id`) WHERE "stays"."checked_out_at" is not null;