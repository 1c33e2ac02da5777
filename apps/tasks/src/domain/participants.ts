import { type TaskParticipant, TaskErrors, TaskLimitErrors } from '@groupware/contracts';
import type { People } from '@groupware/directory';
import { PARTICIPANT, type Participant } from './task';
import { requireCharacters } from './task-input';

/** Identifies a participant within one task. */
const keyOf = ({ type, entity, mail }: Pick<Participant, 'type' | 'entity' | 'mail'>): string =>
  `${type}:${entity ?? mail?.toLowerCase()}`;

/**
 * The participants for a list of a client: groups are kept and their members added, external ones with the address of a user
 * become that user. A group that was deleted meanwhile gives way to its members. Who stays keeps the answer; who goes is kept as removed, so that the answer returns with that participant.
 * @throws TSK-0018, TSK-0044, TSK-0049, TSK-0052, TSK-0058, TASK-0002
 */
export function buildParticipants(
  requests: readonly TaskParticipant[],
  before: readonly Participant[],
  people: People,
  taskId: number,
  most: number,
): Participant[] {
  const old = new Map(before.map((participant) => [keyOf(participant), participant]));
  const known = new Map<string, Participant>();
  const add = (participant: Participant): void => {
    const key = keyOf(participant);
    const first = known.get(key);
    const { confirm, message } = old.get(key) ?? participant;
    known.set(key, { ...participant, listed: participant.listed || (first?.listed ?? false), confirm, message });
  };
  const user = (id: number, listed: boolean): Participant => {
    const entity = people.entities.get(id);
    const stored = old.get(`${PARTICIPANT.user}:${id}`);
    return {
      ...NEW,
      type: PARTICIPANT.user,
      entity: id,
      mail: entity?.kind === 'user' ? entity.email : (stored?.mail ?? null),
      displayName: entity?.displayName ?? stored?.displayName ?? null,
      listed,
    };
  };
  const groups: number[] = [];
  let namesDeletedGroup = false;
  for (const { type, id, mail, display_name } of requests) {
    const entity = id == null ? undefined : people.entities.get(id);
    if (type === PARTICIPANT.external) {
      const address = mail?.trim();
      if (!address) throw TaskErrors.externalWithoutAddress();
      requireCharacters('participants', `${address}${display_name ?? ''}`);
      const internal = people.byAddress.get(address.toLowerCase());
      if (internal?.kind === 'user') add(user(internal.id, true));
      else add({ ...NEW, type, entity: null, mail: address, displayName: display_name ?? null });
    } else if (type === PARTICIPANT.user) {
      if (entity?.kind !== 'user' && !old.has(keyOf({ type, entity: id ?? null, mail: null })))
        throw TaskErrors.participantNotFound(id ?? '', taskId);
      add(user(id!, true));
    } else if (type === PARTICIPANT.group) {
      if (entity?.kind !== 'group') {
        if (!old.has(keyOf({ type, entity: id ?? null, mail: null })))
          throw TaskErrors.participantNotFound(id ?? '', taskId);
        namesDeletedGroup = true;
        continue;
      }
      if (entity.members.length === 0) throw TaskErrors.emptyGroup(id);
      groups.push(entity.id);
      add({ ...NEW, type, entity: entity.id, mail: null, displayName: entity.displayName });
    } else throw TaskErrors.badParticipantType(type);
  }
  for (const id of groups) {
    const group = people.entities.get(id);
    if (group?.kind === 'group') for (const member of group.members) add(user(member, false));
  }
  if (namesDeletedGroup)
    for (const participant of before)
      if (!participant.listed && !participant.removed && !known.has(keyOf(participant)))
        add({ ...participant, listed: true });
  if (known.size > most) throw TaskLimitErrors.tooManyParticipants(most);
  const gone = before.filter((participant) => !known.has(keyOf(participant)));
  return [...known.values(), ...gone.map((participant) => ({ ...participant, removed: true }))];
}

const NEW = { listed: true, removed: false, confirm: 0, message: null } as const;
