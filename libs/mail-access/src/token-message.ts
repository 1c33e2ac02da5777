/**
 * Formats the message of a client that logs in with an access token, in base64.
 * @param mechanism OAUTHBEARER is RFC 7628, XOAUTH2 what was there before it
 */
export function tokenMessage(
  mechanism: 'OAUTHBEARER' | 'XOAUTH2',
  { host, port }: { readonly host: string; readonly port: number },
  login: string,
  accessToken: string,
): string {
  const parts =
    mechanism === 'XOAUTH2'
      ? [`user=${login}`, `auth=Bearer ${accessToken}`]
      : [`n,a=${login},`, `host=${host}`, `port=${port}`, `auth=Bearer ${accessToken}`];
  return Buffer.from([...parts, '', ''].join('\x01')).toString('base64');
}
