/** A preloaded module that speeds up the clock of a process: a day takes a minute. */
const TIMES = 24 * 60;
const startMs = Date.now();
const startedMs = performance.now();
Date.now = () => startMs + Math.floor((performance.now() - startedMs) * TIMES);
