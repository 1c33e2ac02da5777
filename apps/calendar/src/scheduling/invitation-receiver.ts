import { Injectable } from '@nestjs/common';
import { CalendarErrors, type UserPrincipal } from '@groupware/contracts';
import { DefaultFolder, RANK } from '@groupware/folders';
import type { CalendarEvent } from '@groupware/icalendar';
import type { Transaction } from '@groupware/persistence';
import { AppointmentWriter } from '../appointment-writer';
import type { Appointment, AppointmentContent } from '../domain/appointment';
import { withLocal, withoutLocal, withRangeEnd } from '../domain/exception';
import { newAppointment, toStore } from '../domain/new-appointment';
import { needsNewAnswers } from '../domain/reschedule';
import { wholeChange } from '../domain/whole-change';
import { FolderAccess } from '../folder-access';
import { originalStart } from '../icalendar/import-entries';
import { AcquaintanceRepository } from '../persistence/acquaintance.repository';
import { CancellationRepository } from '../persistence/cancellation.repository';
import { cancellationKey } from './cancellation-receiver';
import { FollowingReceiver } from './following-receiver';
import { invitedAttendees, invitedContent, type Invitee, updatedAppointment, wholeUpdate } from './invitation';
import {
  appointmentsOf,
  occurrenceOf,
  OwnAppointmentFinder,
  type OwnAppointments,
  type OwnSeries,
  placeIn,
  routed,
  storedOccurrence,
} from './own-appointments';
import {
  compareRevisions,
  isOrganizedBy,
  restOf,
  revisionOf,
  type SchedulingMessage,
  type SchedulingResult,
  storedRevision,
  withRevision,
} from './scheduling-message';

/** Takes invitations of external organizers and what they change in them (REQUEST, ADD; RFC 5546, sections 3.2.2 and 3.2.4). */
@Injectable()
export class InvitationReceiver {
  constructor(
    private readonly own: OwnAppointmentFinder,
    private readonly cancellations: CancellationRepository,
    private readonly acquaintances: AcquaintanceRepository,
    private readonly defaultFolder: DefaultFolder,
    private readonly access: FolderAccess,
    private readonly writer: AppointmentWriter,
    private readonly following: FollowingReceiver,
  ) {}

  /** A new appointment, a newer form of a known one, or of one occurrence. FLD-0003 and CAL-4031 as for the user himself. */
  async request(
    tx: Transaction,
    user: UserPrincipal,
    message: SchedulingMessage,
    invitee: Invitee,
  ): Promise<SchedulingResult> {
    const { event } = message;
    if (!invitee.isInvited) return 'notInvited';
    const own = await this.own.of(tx, user, event);
    if (!own) return 'internalOrganizer';
    const known = own.main ?? own.occurrences[0] ?? own.parts[0]?.series;
    if (known && !isOrganizedBy(known, event)) return 'internalOrganizer';
    const cancelled = await this.cancellations.find(tx, cancellationKey(user, event));
    if (cancelled && compareRevisions(revisionOf(event), cancelled) <= 0) return 'stale';
    const isOutdated = ({ series }: OwnSeries) => compareRevisions(revisionOf(event), storedRevision(series)) < 0;
    if (!event.recurrenceId && own.parts.some(isOutdated)) return 'stale';
    if (event.recurrenceRange) return this.following.change(tx, event, own, invitee);
    if (event.recurrenceId) {
      const { event: occurrence, own: series } = routed(event, own);
      const stored = storedOccurrence(occurrence, series);
      if (stored) return this.updateOccurrence(tx, stored, series.main, occurrence, invitee);
      if (series.main) return this.addException(tx, series.main, occurrence, invitee);
    } else if (own.main) return this.update(tx, own.main, own, event, invitee);
    // Whoever is known by another occurrence is known.
    const isWelcome =
      known !== undefined ||
      message.anySender ||
      (message.sender !== undefined && (await this.acquaintances.isKnown(tx, user.userId, message.sender)));
    return isWelcome ? this.create(tx, user, event, invitee, own) : 'unknownSender';
  }

  /** One more occurrence of a series; a single appointment becomes one. */
  async add(
    tx: Transaction,
    user: UserPrincipal,
    { event }: SchedulingMessage,
    invitee: Invitee,
  ): Promise<SchedulingResult> {
    const { main: before, occurrences } = (await this.own.of(tx, user, event)) ?? { occurrences: [] };
    if (!before) return 'unknownAppointment';
    if (event.recurrenceRange) return 'range';
    if (!isOrganizedBy(before, event)) return 'internalOrganizer';
    const added = { ...event, recurrenceId: event.start };
    if (placeIn(before, added)) return 'repeated';
    if (event.sequence < storedRevision(before).sequence) return 'stale';
    const localMs = originalStart(added, before);
    const after = withRangeEnd({
      ...before,
      seriesId: before.id,
      rdates: withLocal(before.rdates, localMs),
      extra: withRevision(before, event),
    });
    const { changed, removed } = wholeChange(before, after, occurrences);
    const series = changed[0]!.after;
    const place = placeIn(series, added);
    if (!place) return 'refused';
    await this.writer.write(tx, user.userId, {
      created: [changedOccurrence(occurrenceOf(series, place), added, invitee)],
      maxAppointments: invitee.maxAppointments,
      changed: [{ before, after: { ...series, changes: withLocal(series.changes, localMs) } }, ...changed.slice(1)],
      removed,
    });
    return 'applied';
  }

  /** The organizer's word counts for all of it, also for what was split off. */
  private async update(
    tx: Transaction,
    before: Appointment,
    { occurrences, parts }: OwnAppointments,
    event: CalendarEvent,
    invitee: Invitee,
  ): Promise<SchedulingResult> {
    const order = compareRevisions(revisionOf(event), storedRevision(before));
    if (order <= 0) return order < 0 ? 'stale' : 'repeated';
    const { changed, removed = [] } = wholeUpdate(before, occurrences, event, invitee);
    // The organizer says anew what the whole of it is.
    await this.writer.write(tx, invitee.userId, { changed, removed: [...removed, ...appointmentsOf(parts)] });
    return 'applied';
  }

  private async updateOccurrence(
    tx: Transaction,
    stored: Appointment,
    main: Appointment | undefined,
    event: CalendarEvent,
    invitee: Invitee,
  ): Promise<SchedulingResult> {
    const order = compareRevisions(revisionOf(event), storedRevision(stored));
    if (order < 0 || isOlder(event, main)) return 'stale';
    if (order === 0) return 'repeated';
    const after = changedOccurrence(stored, event, invitee);
    await this.writer.write(tx, invitee.userId, { changed: [{ before: stored, after }] });
    return 'applied';
  }

  private async addException(
    tx: Transaction,
    series: Appointment,
    event: CalendarEvent,
    invitee: Invitee,
  ): Promise<SchedulingResult> {
    const place = placeIn(series, event);
    if (!place) return 'unknownAppointment';
    // The same message may have brought the series.
    if (isOlder(event, series)) return 'stale';
    const changes = withLocal(series.changes, place.localMs);
    const exdates = withoutLocal(series.exdates, place.localMs);
    await this.writer.write(tx, invitee.userId, {
      created: [changedOccurrence(occurrenceOf(series, place), event, invitee)],
      maxAppointments: invitee.maxAppointments,
      changed: [{ before: series, after: { ...series, changes, exdates } }],
    });
    return 'applied';
  }

  private async create(
    tx: Transaction,
    user: UserPrincipal,
    event: CalendarEvent,
    invitee: Invitee,
    { occurrences, parts }: OwnAppointments,
  ): Promise<SchedulingResult> {
    const folder = await this.access.forWrite(tx, user, await this.defaultFolder.ensure(tx, user.userId, user.locale));
    if (folder.rights.folder < RANK.createObjects) throw CalendarErrors.noWritePermission(folder.id);
    const appointment = newAppointment(contentFor(event, invitee), {
      folderId: folder.id,
      isPublic: false,
      owner: user.userId,
      userId: user.userId,
      attendees: invitedAttendees(event, invitee),
    });
    if (event.recurrenceId) {
      const recurrenceLocalMs = originalStart(event, undefined);
      await this.writer.write(tx, user.userId, {
        created: [{ ...appointment, recurrenceLocalMs }],
        maxAppointments: invitee.maxAppointments,
      });
      return 'applied';
    }
    // Occurrences to which he was invited before find their series.
    const linked = occurrences.flatMap((before) => {
      const place = placeIn(appointment, { ...event, recurrenceId: restOf(before).recurrenceId });
      return place ? [{ before, place }] : [];
    });
    const changes = linked.reduce<number[] | null>((list, { place }) => withLocal(list, place.localMs), null);
    const { created } = await this.writer.write(tx, user.userId, {
      created: [toStore({ ...appointment, changes })],
      maxAppointments: invitee.maxAppointments,
      removed: appointmentsOf(parts),
    });
    if (linked.length > 0)
      await this.writer.write(tx, user.userId, {
        changed: linked.map(({ before, place: { localMs, position } }) => ({
          before,
          after: { ...before, seriesId: created[0]!.id, recurrenceLocalMs: localMs, position },
        })),
      });
    return 'applied';
  }
}

/** What is said about an occurrence of a series that the organizer changed since is out of date. */
const isOlder = (event: CalendarEvent, series: Appointment | undefined): boolean =>
  series !== undefined && event.sequence < storedRevision(series).sequence;

/** The content of an event; an occurrence does not recur. */
const contentFor = (event: CalendarEvent, invitee: Invitee): AppointmentContent =>
  invitedContent(event.recurrenceId ? { ...event, rrule: undefined, rdates: [], exdates: [] } : event, invitee);

/** An occurrence as the organizer changed it. */
function changedOccurrence(before: Appointment, event: CalendarEvent, invitee: Invitee): Appointment {
  const after = withRangeEnd(updatedAppointment(before, contentFor(event, invitee), []));
  return { ...after, attendees: invitedAttendees(event, invitee, before, needsNewAnswers(before, after)) };
}
