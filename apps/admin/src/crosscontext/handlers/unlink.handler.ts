import { shares, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { LiaisonRepository } from '../persistence/liaison.repository';

/** Forgets a link to something of another context. */
@Handles(shares.unlink)
export class UnlinkHandler implements Handler<typeof shares.unlink> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly liaisons: LiaisonRepository,
  ) {}

  async handle({ principal, query }: CallOf<typeof shares.unlink>) {
    return this.database.transact(principal, (tx) => this.liaisons.deleteLink(tx, query));
  }
}
