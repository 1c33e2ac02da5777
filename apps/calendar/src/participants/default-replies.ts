import { Injectable } from '@nestjs/common';
import {
  DEFAULT_STATUS_PRIVATE,
  DEFAULT_STATUS_PUBLIC,
  directory,
  parseProperty,
  type Property,
  type Tenant,
} from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import { Properties } from '@groupware/service-kit';
import type { People } from '@groupware/directory';

/** The first answer of a user to an invitation from a private or a public calendar. */
export type DefaultReply = (userId: number, isPublic: boolean) => number;

/** Default replies of users to invitations, from their settings. Asks another service: use it before a transaction. */
@Injectable()
export class DefaultReplies {
  constructor(
    private readonly caller: Caller,
    private readonly properties: Properties,
  ) {}

  /** Default replies of all users among the people, with one call for each kind of calendar. */
  async loadReply(tenant: Tenant, people: People, kinds: { readonly isPublic?: boolean } = {}): Promise<DefaultReply> {
    const ids = [...people.entities.values()].filter(({ kind }) => kind === 'user').map(({ id }) => id);
    const wanted = kinds.isPublic === undefined ? [false, true] : [kinds.isPublic];
    const answers = new Map(
      await Promise.all(
        wanted.map(async (isPublic) => [isPublic, await this.fetchReplies(tenant, ids, isPublic)] as const),
      ),
    );
    return (userId, isPublic) =>
      answers.get(isPublic)?.get(userId) ?? this.properties.serverValue(propertyOf(isPublic));
  }

  private async fetchReplies(tenant: Tenant, ids: readonly number[], isPublic: boolean): Promise<Map<number, number>> {
    if (ids.length === 0) return new Map();
    const property = propertyOf(isPublic);
    const texts = await this.caller.call(directory.propertyOfUsers, {
      principal: { kind: 'internal', service: 'calendar', contextId: tenant.contextId },
      query: { key: property.key, ids: [...ids] },
    });
    return new Map(
      Object.entries(texts).flatMap(([id, text]) => {
        const value = text === null ? undefined : parseProperty(property, text);
        return typeof value === 'number' ? [[Number(id), value] as const] : [];
      }),
    );
  }
}

const propertyOf = (isPublic: boolean): Property<number> => (isPublic ? DEFAULT_STATUS_PUBLIC : DEFAULT_STATUS_PRIVATE);
