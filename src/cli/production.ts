/** The environment as it was given, for the programs that this one starts. */
export const callersEnvironment = { ...Bun.env };

// Elysia looks at this when it is loaded, and else makes long error texts with the caller's values in them.
Bun.env.NODE_ENV ??= "production";
