import { Injectable } from '@nestjs/common';
import {
  calendarEvents,
  groupBy,
  type CalendarAddress,
  type EventNoticeQuery,
  type MailValues,
  type UserPrincipal,
} from '@groupware/contracts';
import { type CalendarEvent, writeCalendar } from '@groupware/icalendar';
import type { Transaction } from '@groupware/persistence';
import { Clock, Logger } from '@groupware/service-kit';
import { CalendarConfig } from '../../calendar.config';
import {
  type Appointment,
  type Attendee,
  ENDLESS,
  findAttendee,
  isException,
  isSeries,
} from '../../domain/appointment';
import { isInvitedCopy, isOrganizedHere } from '../../domain/organizer';
import { PRODUCT } from '../../icalendar/calendar-export';
import { AppointmentRepository } from '../../persistence/appointment.repository';
import { SchedulingStampRepository } from '../../persistence/scheduling-stamp.repository';
import { listAddedPeople } from './added-people';
import { concernsUsers, draftNotices } from './attendee-notices';
import { draftReplies, type DraftedReply } from './attendee-replies';
import {
  type DraftedMessage,
  findMainChange,
  OrganizerMessages,
  type SchedulingChange,
  type SchedulingGroup,
} from './organizer-messages';
import { findOrganizer, mapExternals, toDelegationEvent, toOrganizerEvent, toProposalEvent } from './outgoing-event';

/** Recipients of a change. */
export type SchedulingScope = 'all' | 'none' | 'internal-only' | 'external-only';

/** How a change is told. */
export interface SchedulingOptions {
  readonly scope: SchedulingScope;
  /** Text of the user to those who are told. */
  readonly comment?: string;
  /** New copies of events that are organized elsewhere are answers, too. */
  readonly answersNew?: boolean;
  /** Lower-case mail address of the attendee who answered by a message: the others are told the answer. */
  readonly answerOf?: string;
  /** Files of the event follow: it is told with them, by {@link SchedulingOutbox.announceWithFiles}. */
  readonly awaitsFiles?: boolean;
}

/** Events that an attendee delegated: his appointments, series before occurrences, and to whom. */
export interface DelegatedEvents {
  readonly stored: readonly Appointment[];
  readonly attendee: Attendee;
  readonly delegate: CalendarAddress;
}

/** Appointments that were written. */
export interface ScheduledChanges {
  readonly created?: readonly Appointment[];
  readonly changed?: readonly { readonly before: Appointment; readonly after: Appointment }[];
  readonly removed?: readonly Appointment[];
  /** Appointments whose files new ones are about to get copies of, by the ids of these. */
  readonly filesOf?: ReadonlyMap<number, number>;
}

/** The user who changes something. */
type Actor = Pick<UserPrincipal, 'contextId' | 'userId' | 'email'>;

/** Longest description in the text of a mail, characters. */
const MAX_TEXT = 10_000;
const MAX_TITLE = 255;
const log = Logger.for('calendar.scheduling');

/** Parses the recipients, as a client of events says them: `scheduling` wins over `sendInternalNotifications`. */
export function toSchedulingScope({ scheduling, sendInternalNotifications }: EventNoticeQuery): SchedulingScope {
  if (scheduling !== undefined) return scheduling.toLowerCase() as SchedulingScope;
  return sendInternalNotifications === false ? 'external-only' : 'all';
}

/**
 * Tells attendees and organizers what a transaction changed, by events that leave with its commit: those elsewhere by messages
 * (RFC 5546), one for each revision, and users of this context by notices; contacts hear whom the user invited.
 */
@Injectable()
export class SchedulingOutbox {
  constructor(
    private readonly appointments: AppointmentRepository,
    private readonly stamps: SchedulingStampRepository,
    private readonly clock: Clock,
    private readonly config: CalendarConfig,
  ) {}

  /** Publishes what follows from changes: messages to who is elsewhere, notices to users of this context, and who was invited. */
  async announce(
    tx: Transaction,
    user: UserPrincipal,
    scheduled: ScheduledChanges,
    options: SchedulingOptions,
  ): Promise<void> {
    const changes = toSchedulingChanges(scheduled);
    // Those of an answer were invited by others.
    const people = options.answersNew || options.answerOf !== undefined ? [] : listAddedPeople(changes, user.userId);
    if (people.length > 0) await tx.publish(calendarEvents['attendees.added'], { userId: user.userId, people });
    if (!options.awaitsFiles) await this.tell(tx, user, changes, options);
  }

  /** Publishes what {@link announce} left for the files of an event, which are stored now. */
  async announceWithFiles(
    tx: Transaction,
    user: Actor,
    scheduled: ScheduledChanges,
    eventId: number,
    options: SchedulingOptions,
  ): Promise<void> {
    const changes = toSchedulingChanges(scheduled).map((change) =>
      change.after?.id === eventId ? { ...change, hasOtherFiles: hasOtherFiles(change) } : change,
    );
    await this.tell(tx, user, changes, options);
  }

  private async tell(
    tx: Transaction,
    user: Actor,
    changes: readonly SchedulingChange[],
    options: SchedulingOptions,
  ): Promise<void> {
    if (options.scope === 'none') return;
    if (options.scope !== 'external-only') await this.tellUsers(tx, user, changes, options);
    if (options.scope === 'internal-only') return;
    const concerned = changes.filter(({ before, after }) => [before, after].some((each) => each && isElsewhere(each)));
    for (const group of groupBySeries(concerned, changes))
      if (!this.isOver(group)) await this.announceGroup(tx, user, await this.load(tx, group), options);
  }

  /** Tells users of this context who attend what changed, by mail as far as they wish it. */
  private async tellUsers(
    tx: Transaction,
    user: Actor,
    changes: readonly SchedulingChange[],
    { comment, answerOf }: SchedulingOptions,
  ): Promise<void> {
    const concerned = changes.filter((change) => concernsUsers(change, user.userId));
    for (const group of groupBySeries(concerned, changes)) {
      if (this.isOver(group)) continue;
      for (const draft of draftNotices(group, user.userId, answerOf)) {
        const { userId, users, reason, template, subject, changed, guest } = draft;
        const isAnswer = reason !== 'change';
        const answered = isAnswer ? (guest ?? findAttendee(subject, userId))?.message : undefined;
        const { sender: _sender, ...values } = toValues(
          subject,
          { address: '' },
          isAnswer,
          comment ?? answered ?? undefined,
        );
        await tx.publish(calendarEvents['notice.requested'], {
          ...{ userId, users, reason, template },
          ...(guest && { guest: toAddress(guest.mail!, guest.displayName) }),
          values: { ...values, ...(changed.length > 0 && { changed }) },
        });
      }
    }
  }

  /** Sends an attendee elsewhere an event, or all of a series that he attends, once more (REQUEST). */
  async sendAgain(
    tx: Transaction,
    user: UserPrincipal,
    stored: readonly Appointment[],
    { mail, displayName }: Pick<Attendee, 'mail' | 'displayName'>,
    comment: string | undefined,
  ): Promise<void> {
    const drafts = new OrganizerMessages({ changes: [], stored }).draftAgain(toAddress(mail!, displayName));
    const [first] = stored;
    const stampMs = await this.stamps.takeStamp(tx, first!.uid, first!.owner, this.clock.now());
    for (const draft of drafts) await this.publish(tx, user, draft, stampMs, comment);
  }

  /** Tells an attendee elsewhere that an event stays as it is (DECLINECOUNTER; RFC 5546, section 3.2.8). */
  async declineProposal(
    tx: Transaction,
    user: UserPrincipal,
    { subject, master }: { readonly subject: Appointment; readonly master: Appointment | undefined },
    { mail, displayName }: Pick<Attendee, 'mail' | 'displayName'>,
    comment: string | undefined,
  ): Promise<void> {
    const draft: DraftedMessage = {
      method: 'DECLINECOUNTER',
      template: 'eventCounterDeclined',
      recipients: [toAddress(mail!, displayName)],
      subject,
      events: [toOrganizerEvent(subject, master)],
    };
    await this.sendStamped(tx, user, draft, comment);
  }

  /** Tells an organizer elsewhere what an attendee would rather have (COUNTER; RFC 5546, section 3.2.7). */
  propose(
    tx: Transaction,
    user: UserPrincipal,
    { subject, master }: { readonly subject: Appointment; readonly master: Appointment | undefined },
    attendee: Attendee,
    comment: string | undefined,
  ): Promise<void> {
    return this.sendStamped(
      tx,
      user,
      {
        ...{ method: 'COUNTER', template: 'eventCounter', subject, attendee },
        recipients: [{ address: subject.organizer! }],
        events: [toProposalEvent(subject, master, attendee)],
      },
      comment,
    );
  }

  /** Invites who takes part in place of an attendee (REQUEST; RFC 5546, section 3.2.2.3). */
  inviteDelegate(
    tx: Transaction,
    user: UserPrincipal,
    { stored, attendee, delegate }: DelegatedEvents,
    comment: string | undefined,
  ): Promise<void> {
    const master = stored.find((each) => !isException(each));
    return this.sendStamped(
      tx,
      user,
      {
        ...{ method: 'REQUEST', template: 'eventDelegation', subject: stored[0]!, attendee },
        recipients: [delegate],
        events: stored.map((each) =>
          toDelegationEvent(each, isException(each) ? master : undefined, attendee, delegate),
        ),
      },
      comment,
    );
  }

  private async sendStamped(
    tx: Transaction,
    user: UserPrincipal,
    draft: DraftedMessage | DraftedReply,
    comment: string | undefined,
  ): Promise<void> {
    const { uid, owner } = draft.subject;
    await this.publish(tx, user, draft, await this.stamps.takeStamp(tx, uid, owner, this.clock.now()), comment);
  }

  /** True for changes of events of the past, which are not told. */
  private isOver(changes: readonly SchedulingChange[]): boolean {
    const now = this.clock.now();
    const ends = changes.flatMap(({ before, after }) => [before, after].flatMap((each) => each?.rangeEndMs ?? []));
    return Math.max(...ends) < now && !ends.includes(ENDLESS);
  }

  /** All of a series as it is now. */
  private async load(tx: Transaction, changes: readonly SchedulingChange[]): Promise<SchedulingGroup> {
    const first = (changes[0]!.after ?? changes[0]!.before)!;
    if (first.seriesId === null) return { changes, stored: changes.flatMap(({ after }) => after ?? []) };
    const [master, exceptions] = await Promise.all([
      this.appointments.findById(tx, first.seriesId),
      this.appointments.listExceptions(tx, first.seriesId),
    ]);
    return { changes, stored: [...(master ? [master] : []), ...exceptions] };
  }

  private async announceGroup(
    tx: Transaction,
    user: Actor,
    group: SchedulingGroup,
    options: SchedulingOptions,
  ): Promise<void> {
    const first = (group.changes[0]!.after ?? group.changes[0]!.before)!;
    const isHere = isOrganizedHere(first);
    const drafts: readonly (DraftedMessage | DraftedReply)[] = isHere
      ? new OrganizerMessages({ ...group, answerOf: options.answerOf }).draft()
      : draftReplies(group, {
          sentBy: { userId: user.userId, address: user.email },
          ofNew: options.answersNew,
          comment: options.comment,
        });
    if (drafts.length === 0) return;
    const stampMs = await this.stamps.takeStamp(tx, first.uid, first.owner, this.clock.now());
    for (const draft of drafts) await this.publish(tx, user, draft, stampMs, options.comment);
  }

  private async publish(
    tx: Transaction,
    user: Actor,
    draft: DraftedMessage | DraftedReply,
    dtstampMs: number,
    comment: string | undefined,
  ): Promise<void> {
    const { method, template, subject, recipients, filesOf } = draft;
    const from =
      'attendee' in draft ? toAddress(draft.attendee.mail!, draft.attendee.displayName) : findOrganizer(subject);
    const events = draft.events.map((event) => ({
      ...event,
      dtstampMs,
      ...(comment && method !== 'REPLY' && { extraProperties: [...event.extraProperties, toComment(comment)] }),
    }));
    const calendar = await this.write(method, events);
    if (calendar === undefined) {
      log.warn({ context: user.contextId, uid: subject.uid, method }, 'scheduling message is too large to be sent');
      return;
    }
    const note = comment ?? ('attendee' in draft ? draft.attendee.message : undefined);
    await tx.publish(calendarEvents['scheduling.requested'], {
      userId: user.userId,
      from,
      recipients,
      method,
      calendar,
      ...(filesOf?.some((id) => id !== null) && { filesOf }),
      template,
      values: toValues(subject, from, method === 'REPLY', note ?? undefined),
    });
  }

  /** The text of a message; without what is long where it would not fit, undefined where even that does not. */
  private async write(method: string, events: readonly CalendarEvent[]): Promise<string | undefined> {
    const brief = (event: CalendarEvent): CalendarEvent => ({
      ...event,
      description: undefined,
      attachments: [],
      extraProperties: [],
      extraComponents: [],
      propertyParameters: undefined,
    });
    for (const form of [events, events.map(brief)]) {
      let text = '';
      for await (const part of writeCalendar(form, { prodId: PRODUCT, method })) text += part;
      if (Buffer.byteLength(text) <= this.config.schedulingMaxBytes) return text;
    }
    return undefined;
  }
}

const toSchedulingChanges = ({
  created = [],
  changed = [],
  removed = [],
  filesOf,
}: ScheduledChanges): SchedulingChange[] => [
  ...created.map((after) => ({ after, filesOf: filesOf?.get(after.id) })),
  ...changed.map(({ before, after }) => (before.uid === after.uid ? { before, after } : { after })),
  ...removed.map((before) => ({ before })),
];

const hasOtherFiles = ({ before, after }: SchedulingChange): boolean =>
  before?.attachments !== after?.attachments || before?.newestAttachment !== after?.newestAttachment;

const isElsewhere = (appointment: Appointment): boolean =>
  isOrganizedHere(appointment) ? mapExternals(appointment).size > 0 : isInvitedCopy(appointment);

/** Changes of one appointment or series each, as far as attendees or organizers elsewhere take part in any of them. */
function groupBySeries(
  concerned: readonly SchedulingChange[],
  changes: readonly SchedulingChange[],
): SchedulingChange[][] {
  const keyOf = ({ before, after }: SchedulingChange): number | string => {
    const appointment = (after ?? before)!;
    return before?.seriesId ?? appointment.seriesId ?? `single ${appointment.id}`;
  };
  const keys = new Set(concerned.map(keyOf));
  const groups = groupBy(changes, keyOf);
  return [...groups].flatMap(([key, group]) => (keys.has(key) ? [orderMainFirst(group)] : []));
}

/** The appointment or series itself before its exceptions. */
function orderMainFirst(changes: SchedulingChange[]): SchedulingChange[] {
  const main = findMainChange(changes);
  return main ? [main, ...changes.filter((each) => each !== main)] : changes;
}

const toAddress = (address: string, name: string | null): CalendarAddress => ({ address, ...(name && { name }) });

const toComment = (comment: string): ['comment', Record<string, never>, 'text', string] => [
  'comment',
  {},
  'text',
  comment,
];

function toValues(
  subject: Appointment,
  from: CalendarAddress,
  isReply: boolean,
  message: string | undefined,
): MailValues {
  const { title, location, note, startMs, endMs, timeZone, fullTime, floating } = subject;
  return {
    sender: from.name ?? from.address,
    ...(title && { summary: title.slice(0, MAX_TITLE) }),
    ...(location && { location: location.slice(0, MAX_TITLE) }),
    ...(note && !isReply && { description: note.slice(0, MAX_TEXT) }),
    ...(message && { message: message.slice(0, MAX_TEXT) }),
    startMs,
    endMs,
    ...(!floating && { timeZone }),
    ...(fullTime && { wholeDays: true }),
    ...(isSeries(subject) && !isException(subject) && { recurring: true }),
  };
}
