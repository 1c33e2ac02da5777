import { Injectable } from '@nestjs/common';
import { DEFAULT_STATUS_PRIVATE, DEFAULT_STATUS_PUBLIC, type Tenant } from '@groupware/contracts';
import { Properties } from '@groupware/service-kit';
import type { People } from '../domain/attendee-list';

/** What users answer to invitations by default, from their settings. Asks other services: use it before a transaction. */
@Injectable()
export class FirstAnswers {
  constructor(private readonly properties: Properties) {}

  /** First answers of everybody among the people. */
  async of(tenant: Tenant, people: People, isPublic: boolean): Promise<(userId: number) => number> {
    const property = isPublic ? DEFAULT_STATUS_PUBLIC : DEFAULT_STATUS_PRIVATE;
    const users = [...people.entities.values()].filter(({ kind }) => kind === 'user').map(({ id }) => id);
    const values = await Promise.all(
      users.map((userId) => this.properties.get(property, { contextId: tenant.contextId, userId })),
    );
    const answers = new Map(users.map((userId, index) => [userId, values[index]!]));
    return (userId) => answers.get(userId) ?? property.default;
  }
}
