import { Injectable } from '@nestjs/common';
import type { AppointmentParticipant, Tenant } from '@groupware/contracts';
import { Directory, loadPeople, type People } from '@groupware/directory';

/** Looks participants up; for members of groups see `GroupWatch`. Asks other services: use it before a transaction. */
@Injectable()
export class PeopleDirectory {
  constructor(private readonly directory: Directory) {}

  /** Loads all entities of a list of participants, members of groups included, and further users. */
  loadPeople(
    tenant: Tenant,
    participants: readonly AppointmentParticipant[],
    users: readonly number[],
  ): Promise<People> {
    return loadPeople(this.directory, tenant, participants, users);
  }
}
