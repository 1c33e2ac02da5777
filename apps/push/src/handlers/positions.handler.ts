import { pushStreams, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Clock, Handles } from '@groupware/service-kit';
import { NoticeRepository } from '../persistence/notice.repository';
import { PushConfig } from '../push.config';

/** `positions`: where the notices of users with open streams stand. */
@Handles(pushStreams.positions)
export class PositionsHandler implements Handler<typeof pushStreams.positions> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly notices: NoticeRepository,
    private readonly clock: Clock,
    private readonly config: PushConfig,
  ) {}

  handle({ principal, query }: CallOf<typeof pushStreams.positions>) {
    const now = this.clock.now();
    return this.database.transact(principal, (tx) =>
      this.notices.positions(tx, query.users, now, now + this.config.retentionMs),
    );
  }
}
