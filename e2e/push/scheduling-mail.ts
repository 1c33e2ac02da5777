/** A mail as calendar programs send it (RFC 6047). */
export interface SchedulingMailParts {
  readonly from: string;
  readonly to: string;
  readonly method: string;
  /** Lines of each VEVENT. */
  readonly events: readonly (readonly string[])[];
  readonly date?: Date;
  readonly messageId?: string;
}

let messages = 0;

/** The text of a mail with a calendar part. */
export function schedulingMail({ method, date = new Date(), ...mail }: SchedulingMailParts): string {
  const ical = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    `METHOD:${method}`,
    ...mail.events.flatMap((lines) => ['BEGIN:VEVENT', ...lines, 'END:VEVENT']),
    'END:VCALENDAR',
    '',
  ].join('\r\n');
  return [
    `From: Zoe <${mail.from}>`,
    `To: ${mail.to}`,
    `Date: ${date.toUTCString()}`,
    `Message-ID: ${mail.messageId ?? `<${(messages += 1)}@elsewhere.example>`}`,
    'Subject: meeting',
    'Content-Type: multipart/alternative; boundary=x',
    '',
    '--x',
    'Content-Type: text/plain',
    '',
    'Yes.',
    '--x',
    `Content-Type: text/calendar; charset=utf-8; method=${method}`,
    'Content-Transfer-Encoding: base64',
    '',
    Buffer.from(ical).toString('base64'),
    '--x--',
    '',
  ].join('\r\n');
}
