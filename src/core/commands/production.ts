/** The environment before this file changes it, for child processes. */
export const callersEnvironment = { ...Bun.env };

// Elysia reads `NODE_ENV` when it is loaded. If it is not `production`, Elysia's error messages contain
// values sent by the caller.
Bun.env.NODE_ENV ??= "production";
