/** The unchanged environment, for child processes. */
export const callersEnvironment = { ...Bun.env };

// Elysia reads this when it is loaded. Otherwise its error texts contain the caller's values.
Bun.env.NODE_ENV ??= "production";
