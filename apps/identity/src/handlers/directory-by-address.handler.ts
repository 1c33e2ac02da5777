import { directory, type CallOf, type DirectoryResource, type DirectoryUser, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { DirectoryReader } from '../directory/directory-reader';

/** Users and resources by mail address. */
@Handles(directory.byAddress)
export class ByAddressHandler implements Handler<typeof directory.byAddress> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly entities: DirectoryReader,
  ) {}

  async handle({ principal, query }: CallOf<typeof directory.byAddress>) {
    const wanted = new Map(query.addresses.map((address) => [address.toLowerCase(), address]));
    return this.database.read(principal, async (db) => {
      const rows = await db.objects<{ address: string; id: number }>(
        'select address, entity_id as id from mail_address where context_id = $1 and address = any ($2::text[])',
        [...wanted.keys()],
      );
      const found = await this.entities.listEntities(
        db,
        rows.map(({ id }) => id),
      );
      return rows.flatMap(({ address, id }) => {
        const entity = found.find((each) => each.kind !== 'group' && each.id === id);
        return entity ? [{ address: wanted.get(address)!, entity: entity as DirectoryUser | DirectoryResource }] : [];
      });
    });
  }
}
