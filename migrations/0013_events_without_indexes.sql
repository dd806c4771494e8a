DROP INDEX `events_public_by_type`;--> statement-breakpoint
DROP INDEX `events_public_by_agent`;--> statement-breakpoint
DROP INDEX `events_by_recipient`;--> statement-breakpoint
DROP INDEX `events_by_creator`;