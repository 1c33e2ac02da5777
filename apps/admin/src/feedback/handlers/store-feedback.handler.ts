import { userFeedback, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Clock, Handles, VERSION } from '@groupware/service-kit';
import { parseFeedbackContent, parseFeedbackType } from '../domain/feedback-content';
import { FeedbackGroups } from '../feedback-groups';
import { FeedbackRepository } from '../persistence/feedback.repository';

/** `userfeedback?action=store`: what a user says. */
@Handles(userFeedback.store)
export class StoreFeedbackHandler implements Handler<typeof userFeedback.store> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly rows: FeedbackRepository,
    private readonly groups: FeedbackGroups,
    private readonly clock: Clock,
  ) {}

  async handle({ principal, query, body }: CallOf<typeof userFeedback.store>): Promise<undefined> {
    const type = parseFeedbackType(query.type);
    const content = JSON.stringify(parseFeedbackContent(type, body));
    const contextGroup = await this.groups.resolveGroup(principal);
    const shard = await this.groups.getShard(contextGroup);
    const { contextId, userId, login } = principal;
    const date = this.clock.now();
    await this.database.onShard(shard, 'feedback of all contexts is kept together', (db) =>
      this.rows.insert(db, { contextGroup, type, date, contextId, userId, login, serverVersion: VERSION, content }),
    );
  }
}
