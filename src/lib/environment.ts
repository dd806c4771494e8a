/** The process's environment. */
export type Environment = Readonly<Record<string, string | undefined>>;
