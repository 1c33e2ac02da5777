import { Injectable } from '@nestjs/common';
import {
  APPOINTMENT_RIGHTS,
  CalendarErrors,
  FolderErrors,
  isCatalogueError,
  recordCheck,
  type AlarmData,
  type CalendarAddress,
  type DirectoryResource,
  type DirectoryUser,
  type UserPrincipal,
} from '@groupware/contracts';
import { Directory, type People } from '@groupware/directory';
import type { CalendarEvent } from '@groupware/icalendar';
import type { Transaction } from '@groupware/persistence';
import { AppointmentQuota } from '../../appointments/appointment-quota';
import { AppointmentWriter } from '../../appointments/appointment-writer';
import { type Appointment, type Attendee, findAttendee, isException } from '../../domain/appointment';
import { isOrganizedHere } from '../../domain/organizer';
import { setParticipation } from '../../domain/participation';
import type { DefaultAlarms } from '../../events/default-alarms';
import { setEventAlarms } from '../../events/event-alarms';
import { DELEGATED } from '../../events/event-people';
import { withAttendeeRest } from '../../domain/attendee-rest';
import { originalStart } from '../../icalendar/import-entries';
import { KnownContactRepository } from '../../persistence/known-contact.repository';
import { CancellationReceiver } from '../cancellation-receiver';
import type { Invitee } from '../invitation';
import { InvitationReceiver } from '../invitation-receiver';
import { LocalRepliers } from '../local-repliers';
import { OrganizerCheck } from '../organizer-check';
import { createOccurrence, findPosition, listAppointments, OwnAppointmentFinder } from '../own-appointments';
import { SchedulingOutbox } from '../outgoing/scheduling-outbox';
import { ReplyReceiver } from '../reply-receiver';
import { isOrganizedBy, maySpeakFor, type SchedulingResult } from '../scheduling-message';
import { applyProposal, checkAttendeeRequest, isAttendeeMethod } from './attendee-requests';
import type { ItipMessage } from './itip-messages';

/** Decision of a user about a message. */
export interface ItipDecision {
  /** The answer to an invitation, see `CONFIRM`; absent where none is given. */
  readonly confirm?: number;
  /** Comment to the organizer. */
  readonly comment?: string;
  /** Takes part in place of the user. */
  readonly delegate?: CalendarAddress;
  /** Alarms of the user for events that he did not have. */
  readonly alarms?: DefaultAlarms | undefined;
  /** Takes the answer of a sender who was not invited. */
  readonly addsSender?: boolean;
}

/** Why a message is not applied, beyond what receivers of pushed mails tell apart. */
export type ItipResult =
  SchedulingResult | 'noOrganizer' | 'spoofed' | 'otherOrganizer' | 'notOrganizer' | 'counterDeclined';

/** Outcome of one event of a message: rows of the appointment or series before and after it. */
export interface ItipOutcome {
  readonly event: CalendarEvent;
  readonly result: ItipResult;
  readonly before: readonly Appointment[];
  readonly after: readonly Appointment[];
  /** The appointment, or occurrence, that the event names, as it was. */
  readonly current?: Appointment;
  /** The same as it is now. */
  readonly next?: Appointment;
}

/** Facts about one event that other services know. */
export interface PreparedEvent {
  readonly event: CalendarEvent;
  /** Absent without organizer. */
  readonly invitee?: Invitee;
  /** The organizer, where it is one of this context. */
  readonly localOrganizer?: DirectoryUser | DirectoryResource;
}

/** The events of one unique id of a message with what other services know about them. */
export interface PreparedGroup {
  readonly message: ItipMessage;
  readonly events: readonly PreparedEvent[];
  readonly maxAppointments: number;
  /** Local users who answer; empty where the message is no answer. */
  readonly repliers: People;
}

const INVITING: ReadonlySet<string> = new Set(['REQUEST', 'PUBLISH', 'ADD']);

/** True for methods by which organizers invite (RFC 5546, sections 3.2.1, 3.2.2 and 3.2.4). */
export const isInviting = (method: string): boolean => INVITING.has(method);

/** Applies scheduling messages as a user decides. */
@Injectable()
export class ItipDecisions {
  constructor(
    private readonly directory: Directory,
    private readonly gate: OrganizerCheck,
    private readonly own: OwnAppointmentFinder,
    private readonly invitations: InvitationReceiver,
    private readonly cancellations: CancellationReceiver,
    private readonly replies: ReplyReceiver,
    private readonly repliers: LocalRepliers,
    private readonly quota: AppointmentQuota,
    private readonly writer: AppointmentWriter,
    private readonly outbox: SchedulingOutbox,
    private readonly acquaintances: KnownContactRepository,
  ) {}

  /** Asks other services what is needed: use it before a transaction. */
  async prepare(user: UserPrincipal, message: ItipMessage): Promise<PreparedGroup[]> {
    const entity = (await this.directory.getEntities(user, [user.userId])).get(user.userId) as DirectoryUser;
    const maxAppointments = await this.quota.getLimit(user);
    const repliers = await this.repliers.load(user, message.method === 'REPLY' ? message.groups.flat() : []);
    return Promise.all(
      message.groups.map(async (events) => ({
        message,
        maxAppointments,
        repliers,
        events: await Promise.all(events.map((event) => this.prepareEvent(user, entity, event))),
      })),
    );
  }

  private async prepareEvent(user: UserPrincipal, entity: DirectoryUser, event: CalendarEvent): Promise<PreparedEvent> {
    if (!event.organizer) return { event };
    const localOrganizer = await this.gate.findLocalOrganizer(user, event);
    const invitee = await this.gate.loadInvitee(user, entity, event);
    return { event, invitee, ...(localOrganizer && { localOrganizer }) };
  }

  /** Applies the events of one unique id; each outcome tells what it changed. */
  async apply(
    tx: Transaction,
    user: UserPrincipal,
    { message, events, maxAppointments, repliers }: PreparedGroup,
    decision: ItipDecision,
  ): Promise<ItipOutcome[]> {
    // Own calendars, found by the user; each receiver checks what its sender may change.
    recordCheck(APPOINTMENT_RIGHTS.read);
    recordCheck(APPOINTMENT_RIGHTS.reply);
    const outcomes: ItipOutcome[] = [];
    for (const prepared of events) {
      const { event } = prepared;
      const before = await this.load(tx, user, event);
      const result = await this.receive(tx, user, message, prepared, {
        ...{ before, maxAppointments, repliers, decision },
      });
      const after = await this.load(tx, user, event);
      // An added event is an occurrence of the series.
      const named = message.method === 'ADD' ? { ...event, recurrenceId: event.start } : event;
      const current = findNamed(named, before);
      const isProposed = message.method === 'COUNTER' && result === 'applied';
      const next = isProposed ? applyProposal(current!, event, user.timeZone) : findNamed(named, after);
      outcomes.push({ event: named, result, before, after, ...(current && { current }), ...(next && { next }) });
    }
    const settled = withNewest(outcomes);
    return decision.confirm === undefined ? settled : this.answer(tx, user, settled, decision);
  }

  /** True for senders with whom the user has had to do. */
  async isKnownSender(tx: Transaction, user: UserPrincipal, sender: string): Promise<boolean> {
    return this.acquaintances.isKnown(tx, user.userId, sender);
  }

  private async load(tx: Transaction, user: UserPrincipal, event: CalendarEvent): Promise<readonly Appointment[]> {
    const own = await this.own.findByEvent(tx, user, event);
    if (!own) return [];
    return [...(own.main ? [own.main] : []), ...own.occurrences, ...listAppointments(own.parts)];
  }

  private async receive(
    tx: Transaction,
    user: UserPrincipal,
    { method, sender }: ItipMessage,
    { event, invitee, localOrganizer }: PreparedEvent,
    facts: {
      readonly before: readonly Appointment[];
      readonly maxAppointments: number;
      readonly repliers: People;
      readonly decision: ItipDecision;
    },
  ): Promise<ItipResult> {
    const { before, maxAppointments, repliers: people, decision } = facts;
    const received = { event, sender, anySender: sender === undefined };
    if (method === 'REPLY') {
      const [main] = before;
      if (main && !isOrganizedHere(main)) return 'notOrganizer';
      const { addsSender } = decision;
      try {
        return await this.replies.receiveReply(tx, user, received, maxAppointments, { addsSender, people });
      } catch (error) {
        // The event lies in a calendar of the organizer in which the user may change nothing.
        if (isCatalogueError(error, FolderErrors.notVisible, CalendarErrors.noWritePermission)) return 'notOrganizer';
        throw error;
      }
    }
    if (isAttendeeMethod(method)) return checkAttendeeRequest(method, event, sender, findNamed(event, before));
    if (method === 'DECLINECOUNTER') {
      if (before.length === 0) return 'unknownAppointment';
      return maySpeakFor(received, before[0]) ? 'counterDeclined' : 'spoofed';
    }
    if (!isInviting(method) && method !== 'CANCEL') return 'unsupported';
    if (!invitee) return 'noOrganizer';
    if (localOrganizer && (await this.isOrganizedByUser(tx, user, localOrganizer, event))) return 'internalOrganizer';
    const [known] = before;
    if (isInviting(method) && event.recurrenceId && !known) return 'unknownAppointment';
    if (known && !isOrganizedBy(known, event)) return 'otherOrganizer';
    // A sender who passes an invitation on says nothing of an event that is known.
    if ((known || method === 'CANCEL') && !maySpeakFor(received, known)) return 'spoofed';
    // Attendees that a message names without the user are uninvited alone (RFC 5546, section 3.2.5).
    const isOfOthers = event.status !== 'CANCELLED' && event.attendees.length > 0 && !invitee.isInvited;
    if (method === 'CANCEL' && isOfOthers) return 'notInvited';
    const invited = { ...invitee, isInvited: true };
    const welcome = { ...received, anySender: true };
    const result = await (method === 'CANCEL'
      ? this.cancellations.receiveCancellation(tx, user, received)
      : this.invitations[method === 'ADD' ? 'add' : 'request'](tx, user, welcome, invited));
    // The user takes part in an event of that unique id which is organized here, by another one than the message says.
    return result === 'internalOrganizer' ? 'otherOrganizer' : result;
  }

  /** True for an event that its organizer has here: it is changed there, and not by mail. */
  private async isOrganizedByUser(
    tx: Transaction,
    user: UserPrincipal,
    { kind, id }: DirectoryUser | DirectoryResource,
    event: CalendarEvent,
  ): Promise<boolean> {
    return kind !== 'user' || id === user.userId || this.own.hasEvent(tx, id, event);
  }

  /** Stores the answer to what the message is about, and tells the organizer. */
  private async answer(
    tx: Transaction,
    user: UserPrincipal,
    outcomes: readonly ItipOutcome[],
    { confirm, comment, delegate, alarms }: ItipDecision,
  ): Promise<ItipOutcome[]> {
    const answered = outcomes.filter(({ result, next }) => next && (result === 'applied' || result === 'repeated'));
    const rows = new Map(answered.map(({ next }) => [next!.id, next!]));
    const known = new Set(answered.flatMap(({ before }) => before.map(({ id }) => id)));
    const changed = [...rows.values()].flatMap((before) => {
      const attendee = findAttendee(before, user.userId);
      if (!attendee) return [];
      const reply = { confirmation: confirm!, confirmmessage: comment };
      const rest = { partStat: delegate && DELEGATED, delegatedTo: delegate?.address };
      const wanted = alarms && !known.has(before.id) ? (before.fullTime ? alarms.date : alarms.dateTime) : [];
      const attendees = setParticipation(before.attendees, attendee, reply).map((each) =>
        each.type === attendee.type && each.entity === attendee.entity
          ? withAlarms(withAttendeeRest(each, rest), wanted)
          : each,
      );
      return [{ before, after: { ...before, attendees } }];
    });
    if (changed.length === 0) return [...outcomes];
    const written = await this.writer.writeChanges(tx, user.userId, { changed });
    const stored = new Map(written.changed.map(({ after }) => [after.id, after]));
    await this.outbox.announce(
      tx,
      user,
      { created: [...stored.values()] },
      { scope: 'all', comment, answersNew: true },
    );
    return outcomes.map((outcome) => ({
      ...outcome,
      next: (outcome.next && stored.get(outcome.next.id)) ?? outcome.next,
    }));
  }
}

/** Outcomes that show what is stored as all events of the message left it: an exception changes its series, too. */
function withNewest(outcomes: readonly ItipOutcome[]): ItipOutcome[] {
  const newest = new Map(outcomes.flatMap(({ after }) => after.map((row) => [row.id, row] as const)));
  return outcomes.map((outcome) => {
    const { after, next } = outcome;
    return next && after.includes(next) ? { ...outcome, next: newest.get(next.id)! } : outcome;
  });
}

/** The attendee with alarms, if there are any. */
function withAlarms(attendee: Attendee, wanted: readonly AlarmData[]): Attendee {
  if (wanted.length === 0) return attendee;
  const { alarm, rest } = setEventAlarms(attendee, wanted, []);
  return withAttendeeRest({ ...attendee, alarm }, rest);
}

/** The appointment or occurrence that an event names; an unchanged occurrence as an exception that is not stored. */
function findNamed(event: CalendarEvent, rows: readonly Appointment[]): Appointment | undefined {
  const main = rows.find((each) => !isException(each) && each.recurrenceLocalMs === null);
  if (!event.recurrenceId) return main;
  const localMs = originalStart(event, main);
  const stored = rows.find(({ recurrenceLocalMs }) => recurrenceLocalMs === localMs);
  if (stored) return stored;
  const position = main && findPosition(main, event);
  return position && !main.exdates?.includes(localMs) ? createOccurrence(main, position) : undefined;
}
