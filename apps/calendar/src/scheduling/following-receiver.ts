import { Injectable } from '@nestjs/common';
import type { CalendarEvent } from '@groupware/icalendar';
import type { Transaction } from '@groupware/persistence';
import { type AppointmentChanges, AppointmentWriter } from '../appointment-writer';
import type { Appointment } from '../domain/appointment';
import { Deletions } from '../domain/deletions';
import { originalStart } from '../icalendar/import-entries';
import { type Invitee, wholeUpdate } from './invitation';
import { appointmentsOf, type OwnAppointments, type OwnSeries, placeIn, routed } from './own-appointments';
import {
  compareRevisions,
  isOrganizedBy,
  partOf,
  revisionOf,
  type SchedulingResult,
  storedRevision,
} from './scheduling-message';
import { changeOfPart, endBefore, joined, splitAt } from './series-split';

/**
 * Takes what an external organizer says about an occurrence of a series and all that follow (RANGE=THISANDFUTURE; RFC 5546,
 * sections 3.2.2 and 3.2.5; RFC 5545, section 3.8.4.4). What the RFCs leave open:
 *
 * - Organizers go on to name occurrences by their first start: {@link routed} finds them in what was split off.
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
  async change(
    tx: Transaction,
    event: CalendarEvent,
    own: OwnAppointments,
    invitee: Invitee,
  ): Promise<SchedulingResult> {
    const { event: named, own: place, localMs } = routed(event, own);
    const { main, occurrences } = place;
    if (!main) return 'range';
    if (!placeIn(main, named)) return 'unknownAppointment';
    const order = compareRevisions(revisionOf(event), storedRevision(main));
    if (order < 0) return 'stale';
    const split = await splitAt({ series: main, exceptions: occurrences }, named, invitee);
    if (!split) return 'range';
    if (!split.part && order === 0) return 'repeated';
    const later = this.laterParts(own, localMs).filter(
      ({ series }) => compareRevisions(revisionOf(event), storedRevision(series)) > 0,
    );
    const parts = await Promise.all(later.map((part) => wholePart(part, main, named, invitee)));
    const changes: AppointmentChanges[] = [split, ...parts];
    const { created } = await this.writer.write(tx, invitee.userId, {
      created: split.part ? [split.part] : [],
      changed: changes.flatMap(({ changed = [] }) => changed),
      removed: changes.flatMap(({ removed = [] }) => removed),
      maxAppointments: invitee.maxAppointments,
    });
    const moved = joined(split.moving, created[0]);
    if (moved.length > 0) await this.writer.write(tx, invitee.userId, { changed: moved });
    return 'applied';
  }

  /** Ends the series before the occurrence; it goes with its first one. */
  async cancel(tx: Transaction, event: CalendarEvent, own: OwnAppointments, userId: number): Promise<SchedulingResult> {
    const { event: named, own: place, localMs } = routed(event, own);
    const { main, occurrences } = place;
    const parts = this.laterParts(own, localMs);
    const isNamed = main !== undefined && placeIn(main, named) !== undefined;
    const behind = main ? [] : occurrences.filter((each) => each.recurrenceLocalMs! >= originalStart(named, each));
    const concerned = [...(isNamed ? [main] : []), ...behind, ...parts.map(({ series }) => series)];
    if (concerned.length === 0)
      return main && compareRevisions(revisionOf(event), storedRevision(main)) === 0
        ? 'repeated'
        : 'unknownAppointment';
    if (!concerned.every((each) => isOrganizedBy(each, event))) return 'internalOrganizer';
    if (concerned.some((each) => compareRevisions(revisionOf(event), storedRevision(each)) < 0)) return 'stale';
    const end = isNamed ? endBefore({ series: main, exceptions: occurrences }, named) : {};
    if (!end) return 'range';
    const deletions = new Deletions([...behind, ...appointmentsOf(parts)]);
    for (const each of [...behind, ...parts.map(({ series }) => series)]) deletions.remove(each, {});
    const { removed } = deletions.result();
    await this.writer.write(tx, userId, { ...end, removed: [...(end.removed ?? []), ...removed] });
    return 'applied';
  }

  private laterParts({ parts }: OwnAppointments, localMs: number): OwnSeries[] {
    return parts.filter(({ series }) => partOf(series)!.fromMs > localMs);
  }
}

/** A part that begins later, changed as the named occurrence was. */
async function wholePart(
  part: OwnSeries,
  main: Appointment,
  named: CalendarEvent,
  invitee: Invitee,
): Promise<AppointmentChanges> {
  const event = await changeOfPart(part.series, main, named, invitee.timeZone);
  return event ? wholeUpdate(part.series, part.exceptions, event, invitee) : {};
}
