import { Injectable } from '@nestjs/common';
import { DEFAULT_STATUS_PRIVATE, DEFAULT_STATUS_PUBLIC, type Property, type Tenant } from '@groupware/contracts';
import { Properties } from '@groupware/service-kit';
import type { People } from '@groupware/directory';

/** The first answer of a user to an invitation from a private or a public calendar. */
export type DefaultReply = (userId: number, isPublic: boolean) => number;

/** Default replies of users to invitations, from their settings. Asks another service: use it before a transaction. */
@Injectable()
export class DefaultReplies {
  constructor(private readonly properties: Properties) {}

  /** Default replies of all users among the people, with at most one call for each kind of calendar. */
  async loadReply(
    { contextId }: Tenant,
    people: People,
    kinds: { readonly isPublic?: boolean } = {},
  ): Promise<DefaultReply> {
    const ids = [...people.entities.values()].filter(({ kind }) => kind === 'user').map(({ id }) => id);
    const wanted = kinds.isPublic === undefined ? [false, true] : [kinds.isPublic];
    const answers = new Map(
      await Promise.all(
        wanted.map(
          async (isPublic) =>
            [isPublic, await this.properties.getOfUsers(propertyOf(isPublic), contextId, ids)] as const,
        ),
      ),
    );
    return (userId, isPublic) =>
      answers.get(isPublic)?.get(userId) ?? this.properties.serverValue(propertyOf(isPublic));
  }
}

const propertyOf = (isPublic: boolean): Property<number> => (isPublic ? DEFAULT_STATUS_PUBLIC : DEFAULT_STATUS_PRIVATE);
