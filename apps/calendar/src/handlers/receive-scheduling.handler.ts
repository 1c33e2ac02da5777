import {
  AppointmentErrors,
  calendarScheduling,
  CatalogueError,
  isCatalogueError,
  type CallOf,
  type DirectoryUser,
  type Handler,
  type SchedulingOutcome,
  type UserPrincipal,
} from '@groupware/contracts';
import { Directory, toUserPrincipal } from '@groupware/directory';
import { type CalendarEvent, type CalendarReadOptions, readCalendar } from '@groupware/icalendar';
import { ModuleDatabase, type Transaction } from '@groupware/persistence';
import { RecurrenceError } from '@groupware/recurrence';
import { Handles, Logger } from '@groupware/service-kit';
import { AppointmentQuota } from '../appointments/appointment-quota';
import { toStorable } from '../icalendar/from-event';
import { LocalRepliers } from '../scheduling/local-repliers';
import { ReplyReceiver } from '../scheduling/reply-receiver';
import { CancellationReceiver } from '../scheduling/cancellation-receiver';
import { InvitationReceiver } from '../scheduling/invitation-receiver';
import { OrganizerCheck } from '../scheduling/organizer-check';
import { type SchedulingMessage, type SchedulingResult, toReadOptions } from '../scheduling/scheduling-message';
import { countScheduling } from '../scheduling/scheduling-metrics';

/** Another message about the same appointment may be stored at the same time. */
const TRIES = 2;
const log = Logger.for('calendar.scheduling');

/** Applies a scheduling message that came by mail (RFC 5546), event by event; what changes nothing is logged with the reason. */
@Handles(calendarScheduling.receive)
export class ReceiveSchedulingHandler implements Handler<typeof calendarScheduling.receive> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly directory: Directory,
    private readonly gate: OrganizerCheck,
    private readonly answers: ReplyReceiver,
    private readonly repliers: LocalRepliers,
    private readonly invitations: InvitationReceiver,
    private readonly cancellations: CancellationReceiver,
    private readonly quota: AppointmentQuota,
  ) {}

  async handle({ principal, query }: CallOf<typeof calendarScheduling.receive>): Promise<SchedulingOutcome> {
    const entity = (await this.directory.getEntities(principal, [query.user])).get(query.user);
    if (entity?.kind !== 'user' || !entity.capabilities.includes('calendar')) return 'ignored';
    const user = toUserPrincipal(principal.contextId, entity);
    let outcome: SchedulingOutcome = 'ignored';
    for (const event of await eventsOf(query.text, toReadOptions(query.method, user.timeZone))) {
      const result = event
        ? await this.receive(user, entity, query.method, { event: toStorable(event), ...query })
        : 'unreadable';
      countScheduling(query.method, result);
      if (result === 'applied') outcome = 'applied';
      else
        log.info(
          { context: user.contextId, user: user.userId, method: query.method, uid: event?.uid, reason: result },
          'scheduling message changes nothing',
        );
    }
    return outcome;
  }

  /** One event: what the user may not do, or is gone meanwhile, is no reason to try again. */
  private async receive(
    user: UserPrincipal,
    entity: DirectoryUser,
    method: string,
    message: SchedulingMessage,
  ): Promise<SchedulingResult> {
    for (let tries = 1; ; tries += 1) {
      try {
        const take = await this.receiver(user, entity, method, message);
        return typeof take === 'string' ? take : await this.database.transact(user, take);
      } catch (error) {
        if (isCatalogueError(error, AppointmentErrors.uidTaken) && tries < TRIES) continue;
        if (!(error instanceof CatalogueError || error instanceof RecurrenceError)) throw error;
        log.info({ context: user.contextId, user: user.userId, code: error.code }, 'scheduling message is refused');
        return 'refused';
      }
    }
  }

  /** Receiver of a method, or why there is none. COUNTER and REFRESH need the decision of a person. */
  private async receiver(
    user: UserPrincipal,
    entity: DirectoryUser,
    method: string,
    message: SchedulingMessage,
  ): Promise<SchedulingResult | ((tx: Transaction) => Promise<SchedulingResult>)> {
    if (method === 'REPLY') {
      const [maxAppointments, people] = await Promise.all([
        this.quota.getLimit(user),
        this.repliers.loadSender(user, message),
      ]);
      return (tx) => this.answers.receiveReply(tx, user, message, maxAppointments, { people });
    }
    if (method !== 'REQUEST' && method !== 'ADD' && method !== 'CANCEL') return 'unsupported';
    const invitee = await this.gate.checkOrganizer(user, entity, message);
    if (typeof invitee === 'string') return invitee;
    if (method === 'CANCEL') return (tx) => this.cancellations.receiveCancellation(tx, user, message);
    return (tx) => this.invitations[method === 'ADD' ? 'add' : 'request'](tx, user, message, invitee);
  }
}

/** Events of a message, series before their occurrences; undefined for what can't be read. */
async function eventsOf(text: string, options: CalendarReadOptions): Promise<(CalendarEvent | undefined)[]> {
  const events: (CalendarEvent | undefined)[] = [];
  for await (const { event } of readCalendar([Buffer.from(text)], options)) events.push(event);
  return events.sort((a, b) => Number(a?.recurrenceId !== undefined) - Number(b?.recurrenceId !== undefined));
}
