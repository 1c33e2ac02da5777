/** Name of an application password: the product of the user agent. */
export const parseDeviceName = (userAgent: string): string =>
  /^[A-Za-z][\w.+-]{0,63}/.exec(userAgent.trim())?.[0] ?? 'DAV client';
