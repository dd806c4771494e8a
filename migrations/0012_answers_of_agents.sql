ALTER TABLE `idempotency_keys` ADD `agent_id` text;--> statement-breakpoint
CREATE INDEX `idempotency_keys_by_agent` ON `idempotency_keys` (`agent_id`);--> statement-breakpoint
UPDATE `idempotency_keys` SET `agent_id` = `scope` WHERE `scope` IN (SELECT `id` FROM `agents`);
