import { identityEvents, RequestErrors, type EventMessage, type PayloadOf } from '@groupware/contracts';
import { Directory } from '@groupware/directory';
import { ModuleDatabase, type Transaction } from '@groupware/persistence';
import { Clock, Consumes, type Consumer } from '@groupware/service-kit';
import { PARTICIPANT } from '../domain/appointment';
import { type GroupChange, updateGroupMembers } from '../domain/group-members';
import { Attendance } from '../participants/attendance';
import { DefaultReplies } from '../participants/default-replies';
import { PeopleDirectory } from '../participants/people-directory';
import { AttendanceRepository } from '../persistence/attendance.repository';
import { GroupChangeRepository } from '../persistence/group-change.repository';

const changed = identityEvents['group.changed'];
type Message = EventMessage<PayloadOf<typeof changed>>;

/** Invites who joined a group to what the group is invited to, and takes out who left; the past stays as it was. */
@Consumes(changed)
export class GroupChangedConsumer implements Consumer<typeof changed, GroupChange | undefined> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly directory: Directory,
    private readonly people: PeopleDirectory,
    private readonly answers: DefaultReplies,
    private readonly attendances: AttendanceRepository,
    private readonly attendance: Attendance,
    private readonly changes: GroupChangeRepository,
    private readonly clock: Clock,
  ) {}

  async prepare(message: Message): Promise<GroupChange | undefined> {
    const { groupId } = message.payload;
    const groups = await this.database.read(message, (db) =>
      this.attendances.listCoinvitedGroups(db, groupId, this.clock.now()),
    );
    if (groups.length === 0) return undefined;
    // Cached entities may be older than the event.
    this.directory.invalidate(message);
    const named = groups.map((id) => ({ type: PARTICIPANT.group, id }));
    const people = await this.people.loadPeople(message, named, []);
    return {
      groupId,
      requestedGroups: new Set(groups),
      people,
      defaultReply: await this.answers.loadReply(message, people),
    };
  }

  async handle({ payload }: Message, tx: Transaction, change: GroupChange | undefined): Promise<void> {
    // Writes under way are waited for, later ones begin again: see `GroupWatch`.
    await this.changes.incrementVersion(tx, payload.groupId);
    const groups = await this.attendances.listCoinvitedGroups(tx, payload.groupId, this.clock.now());
    // Invited with others meanwhile: the event comes again.
    if (groups.some((id) => !change?.requestedGroups?.has(id))) throw RequestErrors.serviceUnavailable('calendar');
    if (!change) return;
    await this.attendance.changeAttendees(
      tx,
      { type: PARTICIPANT.group, entity: change.groupId, sinceMs: this.clock.now() },
      (appointment) => updateGroupMembers(appointment, change),
      change.people,
    );
  }
}
