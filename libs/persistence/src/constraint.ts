const CONSTRAINT_CLASS = /^23/;

/**
 * Name of the constraint that a statement violated (unique, exclusion, foreign key, check), or undefined when the error
 * is something else. Repositories map names to errors of their catalogue.
 */
export function constraintOf(error: unknown): string | undefined {
  for (let current = error, depth = 0; current instanceof Error && depth < 5; depth++) {
    const { code, constraint, driverError } = current as Error & {
      code?: unknown;
      constraint?: unknown;
      driverError?: unknown;
    };
    if (typeof code === 'string' && CONSTRAINT_CLASS.test(code) && typeof constraint === 'string') return constraint;
    current = driverError ?? current.cause;
  }
  return undefined;
}
