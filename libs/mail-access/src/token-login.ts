import { MailFailure } from './mail-failure';

/**
 * Logs in with an access token, and once more with another one when the server refuses it: it may have been withdrawn before its end.
 * @param find answers a token; one other than the refused, or undefined when there is none
 * @param work logs in, before anything that must not be done twice
 * @throws MailFailure and what `find` throws
 */
export async function withToken<T>(
  find: (refused?: string) => Promise<string | undefined>,
  work: (accessToken: string) => Promise<T>,
): Promise<T> {
  const first = await find();
  if (first === undefined) throw new MailFailure('credentials');
  try {
    return await work(first);
  } catch (error) {
    if (!(error instanceof MailFailure) || error.kind !== 'credentials') throw error;
    const second = await find(first);
    if (second === undefined || second === first) throw error;
    return work(second);
  }
}
