/** The unchanged environment, for child processes. */
export const callersEnvironment = { ...Bun.env };

// Elysia reads `NODE_ENV` when it is loaded. Outside production its error texts contain the caller's values.
Bun.env.NODE_ENV ??= "production";
