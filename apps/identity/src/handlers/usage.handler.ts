import { identityQuota, SHARE_GUEST_QUOTA, SHARE_LINK_QUOTA, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { Cascade } from '../configuration/cascade';
import { PropertyRepository } from '../configuration/property.repository';
import { GuestRepository } from '../persistence/guest.repository';

/** `usage`: the links or the guests of a user. */
@Handles(identityQuota.usage)
export class UsageHandler implements Handler<typeof identityQuota.usage> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly cascade: Cascade,
    private readonly properties: PropertyRepository,
    private readonly guests: GuestRepository,
  ) {}

  async handle({ principal, query }: CallOf<typeof identityQuota.usage>) {
    const { userId } = principal.user!;
    const isLinks = query.module === 'share_links';
    const [values, countuse] = await this.database.read(principal, (db) =>
      Promise.all([
        this.properties.getEffective(db, userId),
        this.guests.countByCreator(db, userId, isLinks ? 'links' : 'named'),
      ]),
    );
    const countquota = this.cascade.value(isLinks ? SHARE_LINK_QUOTA : SHARE_GUEST_QUOTA, values);
    return [{ account_id: '0', countquota, countuse }];
  }
}
