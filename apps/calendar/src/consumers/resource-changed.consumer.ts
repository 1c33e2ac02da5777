import { identityEvents, type EventMessage, type PayloadOf } from '@groupware/contracts';
import { Directory } from '@groupware/directory';
import type { Transaction } from '@groupware/persistence';
import { Clock, Consumes, type Consumer } from '@groupware/service-kit';
import { PARTICIPANT } from '../domain/appointment';
import { Attendance } from '../participants/attendance';

const changed = identityEvents['resource.changed'];
type Message = EventMessage<PayloadOf<typeof changed>>;

/** Takes a resource that is gone out of the appointments to come. */
@Consumes(changed)
export class ResourceChangedConsumer implements Consumer<typeof changed, boolean> {
  constructor(
    private readonly directory: Directory,
    private readonly attendance: Attendance,
    private readonly clock: Clock,
  ) {}

  /** True when the resource still exists. */
  async prepare(message: Message): Promise<boolean> {
    const { resourceId } = message.payload;
    this.directory.invalidate(message);
    return (await this.directory.getEntities(message, [resourceId])).has(resourceId);
  }

  async handle({ payload }: Message, tx: Transaction, exists: boolean): Promise<void> {
    if (exists) return;
    const { resourceId } = payload;
    await this.attendance.changeAttendees(
      tx,
      { type: PARTICIPANT.resource, entity: resourceId, sinceMs: this.clock.now() },
      ({ attendees }) => attendees.filter(({ type, entity }) => type !== PARTICIPANT.resource || entity !== resourceId),
    );
  }
}
