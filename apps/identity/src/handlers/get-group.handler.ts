import { type CallOf, type Handler, provisioning } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { GroupRepository } from '../persistence/group.repository';
import { toVersionedReply } from '../provisioning/version';
import { toGroupView } from '../provisioning/views';

/** Reads a group. */
@Handles(provisioning.getGroup)
export class GetGroupHandler implements Handler<typeof provisioning.getGroup> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly groups: GroupRepository,
  ) {}

  async handle({ query }: CallOf<typeof provisioning.getGroup>) {
    return toVersionedReply(toGroupView(await this.database.read(query, (db) => this.groups.get(db, query.groupId))));
  }
}
