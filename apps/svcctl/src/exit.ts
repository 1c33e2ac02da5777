/** Exit codes of the command line. */
export const EXIT = { ok: 0, refused: 1, usage: 2, unreachable: 3 } as const;

/** Ends the command with a message for the operator. */
export class Stop extends Error {
  constructor(
    readonly exitCode: number,
    message: string,
    /** The error object of the server, for `--json`. */
    readonly detail?: unknown,
  ) {
    super(message);
  }
}
