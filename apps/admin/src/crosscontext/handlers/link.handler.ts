import { shares, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { LiaisonRepository } from '../persistence/liaison.repository';

/** Notes a link to something of another context. */
@Handles(shares.link)
export class LinkHandler implements Handler<typeof shares.link> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly liaisons: LiaisonRepository,
  ) {}

  async handle({ principal, query }: CallOf<typeof shares.link>) {
    await this.database.transact(principal, (tx) => this.liaisons.insertLink(tx, query));
    return true;
  }
}
