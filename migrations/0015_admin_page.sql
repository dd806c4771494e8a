CREATE TABLE `admin_tokens` (
	`hash` blob PRIMARY KEY NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `admin_tokens_by_expiry` ON `admin_tokens` (`expires_at`);