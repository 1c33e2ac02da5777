/** What an application password is called in the list of the user: the product of the user agent. */
export const deviceName = (userAgent: string): string =>
  /^[A-Za-z][\w.+-]{0,63}/.exec(userAgent.trim())?.[0] ?? 'DAV client';
