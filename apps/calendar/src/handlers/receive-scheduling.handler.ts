import {
  calendarScheduling,
  CatalogueError,
  type CallOf,
  type Handler,
  type SchedulingOutcome,
  type UserPrincipal,
} from '@groupware/contracts';
import { Directory, principalOfUser } from '@groupware/directory';
import { type CalendarEvent, readCalendar } from '@groupware/icalendar';
import { ModuleDatabase, type Transaction } from '@groupware/persistence';
import { positionOf, resolveTimeZone } from '@groupware/recurrence';
import { Handles, Logger } from '@groupware/service-kit';
import { AppointmentTargets, requireWritable } from '../appointment-target';
import { AppointmentWriter } from '../appointment-writer';
import { type Appointment, isSeries } from '../domain/appointment';
import { answerOf, type SchedulingAnswer, withAnswer } from '../domain/scheduling-answer';
import { wholeSeriesOf } from '../domain/series';
import { changesOf, subjectOf } from '../domain/subject';
import { originalStart } from '../icalendar/import-entries';
import { AppointmentRepository } from '../persistence/appointment.repository';
import { UidRepository } from '../persistence/uid.repository';

/** Most events of one message that are looked at. */
const MAX_EVENTS = 100;
const log = Logger.for('calendar.scheduling');

/** Applies a scheduling message that came by mail: the answers of external participants. */
@Handles(calendarScheduling.receive)
export class ReceiveSchedulingHandler implements Handler<typeof calendarScheduling.receive> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly directory: Directory,
    private readonly uids: UidRepository,
    private readonly appointments: AppointmentRepository,
    private readonly targets: AppointmentTargets,
    private readonly writer: AppointmentWriter,
  ) {}

  async handle({ principal, query }: CallOf<typeof calendarScheduling.receive>): Promise<SchedulingOutcome> {
    const entity = (await this.directory.entities(principal, [query.user])).get(query.user);
    if (query.method !== 'REPLY' || entity?.kind !== 'user') return 'ignored';
    const user = principalOfUser(principal.contextId, entity);
    let outcome: SchedulingOutcome = 'ignored';
    const source = [Buffer.from(query.text)];
    const defaultTimeZone = resolveTimeZone(user.timeZone) ?? 'UTC';
    for await (const { event } of readCalendar(source, { defaultTimeZone, maxItems: MAX_EVENTS })) {
      const answer = event && answerOf(event, query.sender, query.anySender);
      if (answer && (await this.apply(user, event, answer))) outcome = 'applied';
    }
    return outcome;
  }

  /** One event: what the user may not change, or is gone meanwhile, is no reason to try again. */
  private async apply(user: UserPrincipal, event: CalendarEvent, answer: SchedulingAnswer): Promise<boolean> {
    try {
      return await this.database.transact(user, (tx) => this.store(tx, user, event, answer));
    } catch (error) {
      if (!(error instanceof CatalogueError)) throw error;
      log.info(
        { context: user.contextId, user: user.userId, code: error.code },
        'answer of an external is not for here',
      );
      return false;
    }
  }

  private async store(
    tx: Transaction,
    user: UserPrincipal,
    event: CalendarEvent,
    answer: SchedulingAnswer,
  ): Promise<boolean> {
    const id = await this.uids.idOf(tx, user.userId, event.uid);
    const found = id === undefined ? undefined : await this.appointments.find(tx, id);
    if (!found) return false;
    const target = await this.targets.find(tx, user, found.id, found.folderId);
    requireWritable(target, user);
    const { appointment, exceptions } = target;
    const position = event.recurrenceId && isSeries(appointment) ? positionIn(appointment, event) : undefined;
    if (event.recurrenceId && isSeries(appointment) && position === undefined) return false;
    const subject = subjectOf(appointment, exceptions, { position });
    const attendees = withAnswer(subject.before.attendees, answer);
    if (!attendees) return false;
    await this.writer.write(tx, user.userId, changesOf(subject, { ...subject.before, attendees }));
    return true;
  }
}

const positionIn = (master: Appointment, event: CalendarEvent): number | undefined =>
  positionOf(wholeSeriesOf(master), originalStart(event, master));
