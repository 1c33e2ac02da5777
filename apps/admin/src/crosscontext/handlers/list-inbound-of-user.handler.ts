import { crossContext, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { groupByModule } from '../domain/purge';
import { IdentityClient } from '../identity-client';
import { LiaisonRepository } from '../persistence/liaison.repository';

/** Of which other contexts a user sees things, himself or through groups. */
@Handles(crossContext.listInboundOfUser)
export class ListInboundOfUserHandler implements Handler<typeof crossContext.listInboundOfUser> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly liaisons: LiaisonRepository,
    private readonly identity: IdentityClient,
  ) {}

  async handle({ query: { context, user } }: CallOf<typeof crossContext.listInboundOfUser>) {
    const tenant = { contextId: context };
    const { groups } = await this.identity.requireUser(tenant, user);
    const pairs = await this.database.read(tenant, (db) => this.liaisons.listContexts(db, [user, ...groups]));
    return { context, user, trustZones: await this.identity.listZones(tenant, user), liaisons: groupByModule(pairs) };
  }
}
