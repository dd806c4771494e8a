CREATE TABLE `admin_tokens` (
	`hash` blob PRIMARY KEY NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `admin_tokens_by_expiry` ON `admin_tokens` (`expires_at`);--> statement-breakpoint
CREATE TABLE `house_hours` (
	`hour` integer PRIMARY KEY NOT NULL,
	`most_guests` integer NOT NULL,
	`check_ins` integer NOT NULL,
	`registrations` integer NOT NULL,
	`bytes` integer
);
