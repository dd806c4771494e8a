ALTER TABLE `stays` ADD `ends_by` integer;--> statement-breakpoint
CREATE INDEX `stays_open_by_end` ON `stays` (`ends_by`) WHERE "stays"."checked_out_at" is null and "stays"."ends_by" is not null;