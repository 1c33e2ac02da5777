import { Injectable } from '@nestjs/common';
import { CONTEXT_GROUP, FEEDBACK_DATABASES, FeedbackErrors, type UserPrincipal } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Properties } from '@groupware/service-kit';
import { Accounts } from '../accounts/accounts';

/** Group of contexts that have none. */
const DEFAULT_GROUP = 'default';
const MAX_GROUP = 32;

/** Which context groups there are, and on which shard the global database of each lies. */
@Injectable()
export class FeedbackGroups {
  constructor(
    private readonly properties: Properties,
    private readonly database: ModuleDatabase,
    private readonly accounts: Accounts,
  ) {}

  /** The group of a user's context. */
  async resolveGroup(user: UserPrincipal): Promise<string> {
    const set = await this.properties.get(CONTEXT_GROUP, user);
    const group = set || (await this.accounts.findAccount(user, { user: user.userId }))?.contextGroup || DEFAULT_GROUP;
    return group.slice(0, MAX_GROUP);
  }

  /** The shard with the global database of a group. @throws FEEDBACK-0005, FEEDBACK-0012 for an unknown group */
  async getShard(group: string): Promise<string> {
    const configured = this.parseGroups();
    if (configured.size === 0) throw FeedbackErrors.noDatabase(group);
    const name = configured.get(group);
    if (name === undefined) throw FeedbackErrors.unknownGroup(group);
    const shards = await this.database.shardNames();
    const shard = name === '' ? shards[0] : shards.find((candidate) => candidate === name);
    if (shard === undefined) throw FeedbackErrors.noDatabase(group);
    return shard;
  }

  private parseGroups(): Map<string, string> {
    const entries = this.properties
      .serverValue(FEEDBACK_DATABASES)
      .split(',')
      .map((entry) => entry.split('=').map((part) => part.trim()));
    return new Map(entries.flatMap(([group = '', shard = '']) => (group === '' ? [] : [[group, shard]])));
  }
}
