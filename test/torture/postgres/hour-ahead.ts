/** A preloaded module that sets the clock of a process an hour ahead. */
const HOUR_MS = 3_600_000;
const now = Date.now;
Date.now = () => now() + HOUR_MS;
