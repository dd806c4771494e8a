/** The most agents that may come by one invitation. */
export const MAX_USES = 100_000;

/** The most days that an invitation holds. */
export const MAX_DAYS = 3_650;
