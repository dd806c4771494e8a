/** The most agents that may come by one invitation. */
export const MAX_USES = 100_000;

/** The most days that an invitation holds. */
export const MAX_DAYS = 3_650;

/** The most agents that are listed, and the most of each kind of text that is hidden. */
export const MOST_LISTED = 1_000;
