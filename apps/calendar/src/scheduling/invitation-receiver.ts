import { Injectable } from '@nestjs/common';
import { CalendarErrors, type UserPrincipal } from '@groupware/contracts';
import { DefaultFolder, RANK } from '@groupware/folders';
import type { CalendarEvent } from '@groupware/icalendar';
import type { Transaction } from '@groupware/persistence';
import { ZoneOffsets } from '@groupware/recurrence';
import { AppointmentWriter } from '../appointments/appointment-writer';
import type { Appointment, AppointmentContent } from '../domain/appointment';
import { addLocalTime, removeLocalTime, withRangeEnd } from '../domain/exception';
import { createAppointment, toStore } from '../domain/new-appointment';
import { isOrganizedHere } from '../domain/organizer';
import { requiresReconfirmation } from '../domain/reschedule';
import { createChangeSet } from '../domain/change-set';
import { FolderAccess } from '../folders/folder-access';
import { originalStart } from '../icalendar/import-entries';
import { KnownContactRepository } from '../persistence/known-contact.repository';
import { CancellationRepository } from '../persistence/cancellation.repository';
import { getIcalendarExtra } from '../domain/icalendar-extra';
import { toCancellationKey } from './cancellation-receiver';
import { FollowingReceiver } from './following-receiver';
import { buildInvitedAttendees, toInvitedContent, type Invitee, applyUpdate, applySeriesUpdate } from './invitation';
import {
  listAppointments,
  createOccurrence,
  OwnAppointmentFinder,
  type OwnAppointments,
  type OwnSeries,
  findPosition,
  routeEvent,
  findStoredOccurrence,
} from './own-appointments';
import {
  compareRevisions,
  isOrganizedBy,
  maySpeakFor,
  toRevision,
  type SchedulingMessage,
  type SchedulingResult,
  findStoredRevision,
  withRevision,
} from './scheduling-message';

/** Takes invitations of external organizers and what they change in them (REQUEST, ADD; RFC 5546, sections 3.2.2 and 3.2.4). */
@Injectable()
export class InvitationReceiver {
  constructor(
    private readonly own: OwnAppointmentFinder,
    private readonly cancellations: CancellationRepository,
    private readonly acquaintances: KnownContactRepository,
    private readonly defaultFolder: DefaultFolder,
    private readonly access: FolderAccess,
    private readonly writer: AppointmentWriter,
    private readonly following: FollowingReceiver,
  ) {}

  /** A new appointment, a newer form of a known one, or of one occurrence. FLD-0003 and CAL-4031 as for the user himself. */
  async request(
    tx: Transaction,
    user: UserPrincipal,
    received: SchedulingMessage,
    invitee: Invitee,
  ): Promise<SchedulingResult> {
    if (!invitee.isInvited) return 'notInvited';
    const message = { ...received, event: await this.withCancellations(tx, user, received.event) };
    const { event } = message;
    const own = await this.own.findByEvent(tx, user, event);
    if (!own) return 'internalOrganizer';
    const known = own.main ?? own.occurrences[0] ?? own.parts[0]?.series;
    if (known && !isOrganizedBy(known, event)) return 'internalOrganizer';
    if (known && !maySpeakFor(received, known)) return 'notFromOrganizer';
    const cancelled = await this.cancellations.findNewest(tx, toCancellationKey(user, event));
    if (cancelled && compareRevisions(toRevision(event), cancelled) <= 0) return 'stale';
    const isOutdated = ({ series }: OwnSeries) => compareRevisions(toRevision(event), findStoredRevision(series)) < 0;
    if (!event.recurrenceId && own.parts.some(isOutdated)) return 'stale';
    if (event.recurrenceRange) return this.following.changeFollowing(tx, event, own, invitee);
    if (event.recurrenceId) {
      const { event: occurrence, own: series } = routeEvent(event, own);
      const stored = findStoredOccurrence(occurrence, series);
      if (stored) return this.updateOccurrence(tx, stored, series.main, occurrence, invitee);
      if (series.main) return this.addException(tx, series.main, occurrence, invitee);
    } else if (own.main) return this.update(tx, own.main, own, event, invitee);
    // Attendees of other occurrences count as known.
    const isWelcome =
      known !== undefined ||
      message.anySender ||
      (message.sender !== undefined && (await this.acquaintances.isKnown(tx, user.userId, message.sender)));
    return isWelcome ? this.create(tx, user, event, invitee, own) : 'unknownSender';
  }

  /** A series without the occurrences that were called off by messages that came before it. */
  private async withCancellations(tx: Transaction, user: UserPrincipal, event: CalendarEvent): Promise<CalendarEvent> {
    if (event.recurrenceId || (event.rrule === undefined && event.rdates.length === 0)) return event;
    const starts = await this.cancellations.listOccurrences(tx, toCancellationKey(user, event), toRevision(event));
    const { start } = event;
    const locals = starts.map((ms) =>
      start.kind === 'zoned' ? ZoneOffsets.forZone(start.timeZone!).instantToLocal(ms) : ms,
    );
    return { ...event, exdates: [...new Set([...event.exdates, ...locals])].sort((a, b) => a - b) };
  }

  /** One more occurrence of a series; a single appointment becomes one. */
  async add(
    tx: Transaction,
    user: UserPrincipal,
    received: SchedulingMessage,
    invitee: Invitee,
  ): Promise<SchedulingResult> {
    const { event } = received;
    const { main: before, occurrences } = (await this.own.findByEvent(tx, user, event)) ?? { occurrences: [] };
    if (!before) return 'unknownAppointment';
    if (!maySpeakFor(received, before)) return 'notFromOrganizer';
    if (event.recurrenceRange) return 'range';
    if (!isOrganizedBy(before, event)) return 'internalOrganizer';
    const added = { ...event, recurrenceId: event.start };
    if (findPosition(before, added)) return 'repeated';
    if (event.sequence < findStoredRevision(before).sequence) return 'stale';
    const localMs = originalStart(added, before);
    const after = withRangeEnd({
      ...before,
      seriesId: before.id,
      rdates: addLocalTime(before.rdates, localMs),
      extra: withRevision(before, event),
    });
    const { changed, removed } = createChangeSet(before, after, occurrences);
    const series = changed[0]!.after;
    const place = findPosition(series, added);
    if (!place) return 'refused';
    await this.writer.writeChanges(tx, user.userId, {
      created: [changeOccurrence(createOccurrence(series, place), added, invitee, series)],
      maxAppointments: invitee.maxAppointments,
      changed: [{ before, after: { ...series, changes: addLocalTime(series.changes, localMs) } }, ...changed.slice(1)],
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
    const order = compareRevisions(toRevision(event), findStoredRevision(before));
    if (order < 0) return 'stale';
    // An event that the user imported is no copy of the invitation yet.
    if (order === 0 && !isOrganizedHere(before)) return 'repeated';
    const { changed, removed = [] } = applySeriesUpdate(before, occurrences, event, invitee);
    // The organizer says anew what the whole of it is.
    await this.writer.writeChanges(tx, invitee.userId, { changed, removed: [...removed, ...listAppointments(parts)] });
    return 'applied';
  }

  private async updateOccurrence(
    tx: Transaction,
    stored: Appointment,
    main: Appointment | undefined,
    event: CalendarEvent,
    invitee: Invitee,
  ): Promise<SchedulingResult> {
    const order = compareRevisions(toRevision(event), findStoredRevision(stored));
    if (order < 0 || isOutdated(event, main)) return 'stale';
    if (order === 0 && !isOrganizedHere(stored)) return 'repeated';
    const after = changeOccurrence(stored, event, invitee, main);
    await this.writer.writeChanges(tx, invitee.userId, { changed: [{ before: stored, after }] });
    return 'applied';
  }

  private async addException(
    tx: Transaction,
    series: Appointment,
    event: CalendarEvent,
    invitee: Invitee,
  ): Promise<SchedulingResult> {
    const place = findPosition(series, event);
    if (!place) return 'unknownAppointment';
    // The same message may have brought the series.
    if (isOutdated(event, series)) return 'stale';
    const changes = addLocalTime(series.changes, place.localMs);
    const exdates = removeLocalTime(series.exdates, place.localMs);
    await this.writer.writeChanges(tx, invitee.userId, {
      created: [changeOccurrence(createOccurrence(series, place), event, invitee, series)],
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
    const folder = await this.access.lockFolder(
      tx,
      user,
      await this.defaultFolder.ensureDefaultFolder(tx, user.userId, user.locale),
    );
    if (folder.rights.folder < RANK.createObjects) throw CalendarErrors.noWritePermission(folder.id);
    const appointment = createAppointment(toOccurrenceContent(event, invitee), {
      folderId: folder.id,
      isPublic: false,
      owner: user.userId,
      userId: user.userId,
      attendees: buildInvitedAttendees(event, invitee),
    });
    if (event.recurrenceId) {
      const recurrenceLocalMs = originalStart(event, undefined);
      await this.writer.writeChanges(tx, user.userId, {
        created: [{ ...appointment, recurrenceLocalMs }],
        maxAppointments: invitee.maxAppointments,
      });
      return 'applied';
    }
    // Occurrences to which he was invited before find their series.
    const linked = occurrences.flatMap((before) => {
      const place = findPosition(appointment, { ...event, recurrenceId: getIcalendarExtra(before).recurrenceId });
      return place ? [{ before, place }] : [];
    });
    const changes = linked.reduce<number[] | null>((list, { place }) => addLocalTime(list, place.localMs), null);
    const { created } = await this.writer.writeChanges(tx, user.userId, {
      created: [toStore({ ...appointment, changes })],
      maxAppointments: invitee.maxAppointments,
      removed: listAppointments(parts),
    });
    if (linked.length > 0)
      await this.writer.writeChanges(tx, user.userId, {
        changed: linked.map(({ before, place: { localMs, position } }) => ({
          before,
          after: { ...before, seriesId: created[0]!.id, recurrenceLocalMs: localMs, position },
        })),
      });
    return 'applied';
  }
}

/** True when the series was changed after the message about its occurrence. */
const isOutdated = (event: CalendarEvent, series: Appointment | undefined): boolean =>
  series !== undefined && event.sequence < findStoredRevision(series).sequence;

/** The content of an event; an occurrence does not recur. */
const toOccurrenceContent = (event: CalendarEvent, invitee: Invitee): AppointmentContent =>
  toInvitedContent(event.recurrenceId ? { ...event, rrule: undefined, rdates: [], exdates: [] } : event, invitee);

/** An occurrence as the organizer changed it; it is no less private than its series. */
function changeOccurrence(
  before: Appointment,
  event: CalendarEvent,
  invitee: Invitee,
  series: Pick<Appointment, 'classification'> | undefined,
): Appointment {
  const content = toOccurrenceContent(event, invitee);
  const classification = Math.max(content.classification, series?.classification ?? 0);
  const after = withRangeEnd(applyUpdate(before, { ...content, classification }, []));
  return { ...after, attendees: buildInvitedAttendees(event, invitee, before, requiresReconfirmation(before, after)) };
}
