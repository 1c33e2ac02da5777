import { Injectable } from '@nestjs/common';
import type { AppointmentParticipant, DirectoryEntity, Tenant } from '@groupware/contracts';
import { Directory } from '@groupware/directory';
import { PARTICIPANT } from '../domain/appointment';
import type { People } from '../domain/attendee-list';

/** Looks participants up. Asks other services: use it before a transaction. */
@Injectable()
export class PeopleDirectory {
  constructor(private readonly directory: Directory) {}

  /** Loads all entities of a list of participants, members of groups included, and further users. */
  async loadPeople(
    tenant: Tenant,
    participants: readonly AppointmentParticipant[],
    users: readonly number[],
  ): Promise<People> {
    const addresses = participants
      .filter(({ type, mail }) => (type === PARTICIPANT.external || type === PARTICIPANT.externalGroup) && mail)
      .map(({ mail }) => mail!.trim());
    const ids = participants.flatMap(({ type, id }) =>
      type !== PARTICIPANT.external && type !== PARTICIPANT.group && typeof id === 'number' ? [id] : [],
    );
    // Members of groups as they are now: see `GroupWatch`.
    const groups = participants.flatMap(({ type, id }) => (type === PARTICIPANT.group && id ? [id] : []));
    const [people, invited, byAddress] = await Promise.all([
      this.directory.getEntities(tenant, [...ids, ...users]),
      this.directory.refreshEntities(tenant, [...new Set(groups)]),
      this.directory.findByAddresses(tenant, addresses),
    ]);
    const named = new Map([...people, ...invited]);
    const members = [...named.values()].flatMap((entity) => (entity.kind === 'group' ? entity.members : []));
    const missing = members.filter((id) => !named.has(id));
    const entities = new Map<number, DirectoryEntity>(named);
    if (missing.length > 0)
      for (const [id, entity] of await this.directory.getEntities(tenant, missing)) entities.set(id, entity);
    for (const entity of byAddress.values()) entities.set(entity.id, entity);
    return { entities, byAddress };
  }
}
