import { groupBy } from '@groupware/contracts';
import { Injectable } from '@nestjs/common';
import { Directory } from '@groupware/directory';
import { resolveTimeZone } from '@groupware/recurrence';

/** A user of any context. */
interface ContextUser {
  readonly contextId: number;
  readonly userId: number;
}

/** Finds the zone of a user; undefined of those that were not asked for. */
export type FindZone = (user: ContextUser) => string | undefined;

/** Zones of users whose clocks decide about alarms. */
@Injectable()
export class UserZones {
  constructor(private readonly directory: Directory) {}

  /** Asks for the zones of users of any contexts; to be called before a transaction. */
  async loadZones(needed: readonly ContextUser[]): Promise<FindZone> {
    const users = groupBy(
      needed,
      ({ contextId }) => contextId,
      ({ userId }) => userId,
    );
    const zones = new Map<string, string>();
    for (const [contextId, ids] of users) {
      const known = await this.directory.getEntities({ contextId }, ids);
      for (const userId of ids) {
        const user = known.get(userId);
        const zone = user?.kind === 'user' ? resolveTimeZone(user.timeZone) : undefined;
        zones.set(keyOf({ contextId, userId }), zone ?? 'UTC');
      }
    }
    return (user) => zones.get(keyOf(user));
  }
}

const keyOf = ({ contextId, userId }: ContextUser): string => `${contextId} ${userId}`;
