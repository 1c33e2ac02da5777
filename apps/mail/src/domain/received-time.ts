import type { MailHeaders } from '@groupware/mail-content';

/** Time of the newest header Received; undefined without one. */
export function findReceived(headers: MailHeaders): Date | undefined {
  const text = headers.getRaw('received');
  const time = Date.parse(
    text
      .slice(text.lastIndexOf(';') + 1)
      .replace(/\([^()]*\)/g, '')
      .trim(),
  );
  return Number.isNaN(time) ? undefined : new Date(time);
}
