import { pushStreams, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { NoticeRepository } from '../persistence/notice.repository';

/** `replay`: notices that a stream missed. */
@Handles(pushStreams.replay)
export class ReplayHandler implements Handler<typeof pushStreams.replay> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly notices: NoticeRepository,
  ) {}

  handle({ principal, query: { user, epoch, after, at } }: CallOf<typeof pushStreams.replay>) {
    return this.database.read(principal, (db) => this.notices.after(db, user, { epoch, seq: after, at }), {
      snapshot: true,
    });
  }
}
