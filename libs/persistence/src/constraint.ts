const CONSTRAINT_CLASS = /^23/;

/**
 * Name of the constraint that a statement violated (unique, exclusion, foreign key, check), or undefined when the error
 * is something else. Repositories map names to errors of their catalogue.
 */
export function constraintOf(error: unknown): string | undefined {
  for (let current = error, depth = 0; typeof current === 'object' && current !== null && depth < 5; depth++) {
    const { code, constraint, driverError, cause } = current as {
      code?: unknown;
      constraint?: unknown;
      driverError?: unknown;
      cause?: unknown;
    };
    if (typeof code === 'string' && CONSTRAINT_CLASS.test(code) && typeof constraint === 'string') return constraint;
    current = driverError ?? cause;
  }
  return undefined;
}
