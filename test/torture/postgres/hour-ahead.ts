/** A preload that sets the clock of a program an hour ahead. */
const HOUR_MS = 3_600_000;
const now = Date.now;
Date.now = () => now() + HOUR_MS;
