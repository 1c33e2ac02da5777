import { Injectable } from '@nestjs/common';
import {
  ItipErrors,
  mail,
  mailScheduling,
  requirePermission,
  RequestErrors,
  type ItipBody,
  type UserPrincipal,
} from '@groupware/contracts';
import { type CalendarEvent, type CalendarReadOptions, readCalendar } from '@groupware/icalendar';
import { Caller } from '@groupware/messaging';
import { CalendarConfig } from '../../calendar.config';
import { toServicePrincipal } from '../../domain/service-principal';
import { toStorable } from '../../icalendar/from-event';
import { toReadOptions } from '../scheduling-message';

/** A scheduling message on which a user decides. */
export interface ItipMessage {
  /** Upper case. */
  readonly method: string;
  /** Lower-case address of the mail; undefined for texts that a user gives himself. */
  readonly sender?: string;
  /** The mail that it is in; undefined for texts that a user gives himself. */
  readonly mail?: { readonly folder: string; readonly id: string };
  /** Events of the same unique id, series before their occurrences. */
  readonly groups: readonly (readonly CalendarEvent[])[];
}

const MAIL = 'mail.ical';
const TEXT = 'calendar.ical';
/** Clients of the original name sources after its vendor. */
const VENDOR = /^com\.(?:example|openexchange)\./;

/** Reads scheduling messages from mails and from texts that users give. */
@Injectable()
export class ItipMessages {
  constructor(
    private readonly caller: Caller,
    private readonly config: CalendarConfig,
  ) {}

  /** SVL-0010 for another source, SVL-0002 where it is not named, SVL-0016 and ASP-0001 where mails are closed to the user, ITIP-0101 for what cannot be read, ITIP-0100. */
  async loadMessage(
    user: UserPrincipal,
    { dataSource }: { readonly dataSource: string },
    body: ItipBody,
  ): Promise<ItipMessage> {
    const { text, sender, mail } = await this.loadText(user, dataSource, body);
    const method = /^METHOD[^:\r\n]*:[ \t]*([A-Za-z]+)/m.exec(text)?.[1]?.toUpperCase() ?? 'PUBLISH';
    const groups = await groupEvents(text, toReadOptions(method, user.timeZone));
    if (groups.length === 0) throw ItipErrors.unreadable();
    if (method === 'REPLY' && groups.some((events) => events.some(({ attendees }) => attendees.length !== 1)))
      throw ItipErrors.badReply();
    return { method, sender, groups, ...(mail && { mail }) };
  }

  private async loadText(
    user: UserPrincipal,
    dataSource: string,
    body: ItipBody,
  ): Promise<{ readonly text: string } & Pick<ItipMessage, 'sender' | 'mail'>> {
    const source = VENDOR.test(dataSource) ? dataSource.replace(VENDOR, '') : undefined;
    if (source === TEXT) {
      if (!body.ical) throw RequestErrors.missingParameter('ical');
      return { text: body.ical };
    }
    if (source !== MAIL) throw RequestErrors.badParameter('dataSource', dataSource);
    // A scope for calendars opens no mails.
    requirePermission(mail.get, user);
    const { folder, id, part } = findPart(body);
    if (!folder) throw RequestErrors.missingParameter('com.example.mail.conversion.fullname');
    if (!id) throw RequestErrors.missingParameter('com.example.mail.conversion.mailid');
    const read = await this.caller.call(mailScheduling.read, {
      principal: toServicePrincipal(user),
      query: { folder, id, part: part || undefined, maxBytes: this.config.schedulingMaxRead },
    });
    return { ...read, mail: { folder, id } };
  }
}

/** The part of a mail that a body names. */
const findPart = (body: ItipBody) => ({
  folder: body['com.example.mail.conversion.fullname'],
  id: body['com.example.mail.conversion.mailid'],
  part: body['com.example.mail.conversion.sequenceid'],
});

async function groupEvents(text: string, options: CalendarReadOptions): Promise<CalendarEvent[][]> {
  const groups = new Map<string, CalendarEvent[]>();
  for await (const { event } of readCalendar([Buffer.from(text)], options)) {
    if (!event) continue;
    const storable = toStorable(event);
    const known = groups.get(storable.uid);
    if (known) known.push(storable);
    else groups.set(storable.uid, [storable]);
  }
  const order = ({ recurrenceId }: CalendarEvent): number => (recurrenceId ? 1 : 0);
  return [...groups.values()].map((events) => events.sort((a, b) => order(a) - order(b)));
}
