import { Readable } from 'node:stream';
import type { SmtpConnection } from '@groupware/mail-access';

type Connection = SmtpConnection['connection'];

/** Turns texts into a stream that pauses while the server is slow. */
const toStream = (mail: AsyncIterable<string>): Readable =>
  Readable.from(
    (async function* () {
      for await (const text of mail) yield Buffer.from(text);
    })(),
    { objectMode: false },
  );

/**
 * Sends one mail over an open connection.
 * @returns false when the server refuses the recipient or the mail: the connection stays usable
 * @throws whatever breaks the connection, and when the server takes longer than `timeoutMs`
 */
export async function deliverMail(
  { connection }: SmtpConnection,
  from: string,
  to: string,
  mail: AsyncIterable<string>,
  timeoutMs: number,
): Promise<boolean> {
  const body = toStream(mail);
  let timer: NodeJS.Timeout | undefined;
  try {
    await Promise.race([
      new Promise<void>((resolve, reject) => {
        body.once('error', reject);
        connection.send({ from, to }, body, (error) => (error ? reject(error) : resolve()));
      }),
      new Promise<never>((_resolve, reject) => {
        timer = setTimeout(() => {
          connection.close();
          reject(new Error('the server took too long'));
        }, timeoutMs);
      }),
    ]);
    return true;
  } catch (error) {
    const { code, responseCode = 0 } = error as { code?: string; responseCode?: number };
    const refused = (code === 'EENVELOPE' || code === 'EMESSAGE') && responseCode >= 400 && responseCode !== 421;
    if (!refused) throw error;
    await resetConnection(connection);
    return false;
  } finally {
    clearTimeout(timer);
    body.destroy();
  }
}

const resetConnection = (connection: Connection): Promise<void> =>
  new Promise((resolve, reject) => connection.reset((error) => (error ? reject(error) : resolve())));
