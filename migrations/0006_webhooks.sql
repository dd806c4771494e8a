CREATE TABLE `leases` (
	`name` text PRIMARY KEY NOT NULL,
	`holder` text NOT NULL,
	`renewals` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `webhook_deliveries` (
	`seq` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`webhook_id` text NOT NULL,
	`event_id` integer,
	`created_at` integer NOT NULL,
	`at` integer NOT NULL,
	`attempt` integer NOT NULL,
	`status` integer,
	`next_at` integer,
	FOREIGN KEY (`webhook_id`) REFERENCES `webhooks`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `webhook_deliveries_id_unique` ON `webhook_deliveries` (`id`);--> statement-breakpoint
CREATE INDEX `webhook_deliveries_by_webhook` ON `webhook_deliveries` (`webhook_id`);--> statement-breakpoint
CREATE INDEX `webhook_deliveries_due` ON `webhook_deliveries` (`webhook_id`,`next_at`) WHERE "webhook_deliveries"."next_at" is not null;--> statement-breakpoint
CREATE INDEX `webhook_deliveries_waiting` ON `webhook_deliveries` (`webhook_id`) WHERE "webhook_deliveries"."next_at" is not null;--> statement-breakpoint
CREATE INDEX `webhook_deliveries_done` ON `webhook_deliveries` (`webhook_id`) WHERE "webhook_deliveries"."next_at" is null;--> statement-breakpoint
CREATE INDEX `webhook_deliveries_oldest` ON `webhook_deliveries` (`created_at`) WHERE "webhook_deliveries"."next_at" is not null;--> statement-breakpoint
CREATE TABLE `webhooks` (
	`seq` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`agent_id` text NOT NULL,
	`url` text NOT NULL,
	`types` text,
	`agent_ids` text,
	`secret` text NOT NULL,
	`state` text NOT NULL,
	`created_at` integer NOT NULL,
	`last_delivery_at` integer,
	`failure` text,
	`failing_since` integer,
	`position` integer NOT NULL,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `webhooks_id_unique` ON `webhooks` (`id`);--> statement-breakpoint
CREATE INDEX `webhooks_by_agent` ON `webhooks` (`agent_id`);--> statement-breakpoint
CREATE INDEX `webhooks_active` ON `webhooks` (`agent_id`) WHERE "webhooks"."state" = 'active';