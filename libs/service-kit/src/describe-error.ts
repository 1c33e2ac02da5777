/** An error in a line, with the one that caused it. */
export const describeError = (error: unknown): string =>
  error instanceof Error
    ? error.cause instanceof Error
      ? `${error.message}: ${error.cause.message}`
      : error.message
    : String(error);
