import { Injectable } from '@nestjs/common';
import type { CalendarEvent } from '@groupware/icalendar';
import type { Transaction } from '@groupware/persistence';
import { type AppointmentChanges, AppointmentWriter } from '../appointments/appointment-writer';
import type { Appointment } from '../domain/appointment';
import { DeletionPlan } from '../domain/deletions';
import { originalStart } from '../icalendar/import-entries';
import { type Invitee, applySeriesUpdate } from './invitation';
import { listAppointments, type OwnAppointments, type OwnSeries, findPosition, routeEvent } from './own-appointments';
import {
  compareRevisions,
  isOrganizedBy,
  findSeriesPart,
  toRevision,
  type SchedulingResult,
  findStoredRevision,
} from './scheduling-message';
import { createPartChange, endBefore, moveIntoPart, splitSeries } from './series-split';

/**
 * Takes what an external organizer says about an occurrence of a series and all that follow (RANGE=THISANDFUTURE; RFC 5546,
 * sections 3.2.2 and 3.2.5; RFC 5545, section 3.8.4.4). What the RFCs leave open:
 *
 * - Organizers go on to name occurrences by their first start: {@link routeEvent} finds them in what was split off.
 * - A change counts for what was split off later in the series too, unless something as new is known about it: the same
 *   message may change several parts.
 * - A newer message about the whole series says all of it; what was split off goes.
 * - Exceptions behind the split stay as they are and move with it. The one that stands for the named occurrence goes.
 * - Half a change would look like all of it: where no series is known, or no rule says the rest, nothing is applied (`range`).
 */
@Injectable()
export class FollowingReceiver {
  constructor(private readonly writer: AppointmentWriter) {}

  /** Splits the series at the occurrence; a change from its first one on is one of the series itself. */
  async changeFollowing(
    tx: Transaction,
    event: CalendarEvent,
    own: OwnAppointments,
    invitee: Invitee,
  ): Promise<SchedulingResult> {
    const { event: named, own: place, localMs } = routeEvent(event, own);
    const { main, occurrences } = place;
    if (!main) return 'range';
    if (!findPosition(main, named)) return 'unknownAppointment';
    const order = compareRevisions(toRevision(event), findStoredRevision(main));
    if (order < 0) return 'stale';
    const split = await splitSeries({ series: main, exceptions: occurrences }, named, invitee);
    if (!split) return 'range';
    if (split.isWhole && order === 0) return 'repeated';
    const later = this.laterParts(own, localMs).filter(
      ({ series }) => compareRevisions(toRevision(event), findStoredRevision(series)) > 0,
    );
    const parts = await Promise.all(later.map((part) => changePart(part, main, named, invitee)));
    const changes: AppointmentChanges[] = [split, ...parts];
    const { created } = await this.writer.writeChanges(tx, invitee.userId, {
      created: split.part ? [split.part] : [],
      filesOf: main.id,
      changed: changes.flatMap(({ changed = [] }) => changed),
      removed: changes.flatMap(({ removed = [] }) => removed),
      maxAppointments: invitee.maxAppointments,
    });
    const moved = moveIntoPart(split.moving, created[0]);
    if (moved.length > 0) await this.writer.writeChanges(tx, invitee.userId, { changed: moved });
    return 'applied';
  }

  /** Ends the series before the occurrence; it goes with its first one. */
  async cancelFollowing(
    tx: Transaction,
    event: CalendarEvent,
    own: OwnAppointments,
    userId: number,
  ): Promise<SchedulingResult> {
    const { event: named, own: place, localMs } = routeEvent(event, own);
    const { main, occurrences } = place;
    const parts = this.laterParts(own, localMs);
    const isNamed = main !== undefined && findPosition(main, named) !== undefined;
    const behind = main ? [] : occurrences.filter((each) => each.recurrenceLocalMs! >= originalStart(named, each));
    const concerned = [...(isNamed ? [main] : []), ...behind, ...parts.map(({ series }) => series)];
    if (concerned.length === 0)
      return main && compareRevisions(toRevision(event), findStoredRevision(main)) === 0
        ? 'repeated'
        : 'unknownAppointment';
    if (!concerned.every((each) => isOrganizedBy(each, event))) return 'internalOrganizer';
    if (concerned.some((each) => compareRevisions(toRevision(event), findStoredRevision(each)) < 0)) return 'stale';
    const end = isNamed ? endBefore({ series: main, exceptions: occurrences }, named) : {};
    if (!end) return 'range';
    const deletions = new DeletionPlan([...behind, ...listAppointments(parts)]);
    for (const each of [...behind, ...parts.map(({ series }) => series)]) deletions.deleteAppointment(each, {});
    const { removed } = deletions.toChanges();
    await this.writer.writeChanges(tx, userId, { ...end, removed: [...(end.removed ?? []), ...removed] });
    return 'applied';
  }

  private laterParts({ parts }: OwnAppointments, localMs: number): OwnSeries[] {
    return parts.filter(({ series }) => findSeriesPart(series)!.fromMs > localMs);
  }
}

/** A part that begins later, changed as the named occurrence was. */
async function changePart(
  part: OwnSeries,
  main: Appointment,
  named: CalendarEvent,
  invitee: Invitee,
): Promise<AppointmentChanges> {
  const event = await createPartChange(part.series, main, named, invitee.timeZone);
  return event ? applySeriesUpdate(part.series, part.exceptions, event, invitee) : {};
}
