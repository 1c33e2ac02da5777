/** The id of a session as logs show it: its begin, so that lines about it can be found together. */
export const maskSession = (id: string | undefined): string | undefined => id && `${id.slice(0, 6)}…`;

/** A text without the ids of sessions and tokens, those of shares included, in it: whoever reads a log must not go on with the session of another. */
export const withoutSessions = (text: string): string =>
  text.replace(/(?<![0-9a-f])[0-9a-f]{32}(?:[0-9a-f]{16})?(?![0-9a-f])/gi, (id) => maskSession(id)!);
