import { crossContext, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { byModule } from '../domain/purge';
import { People } from '../people';
import { LiaisonRepository } from '../persistence/liaison.repository';

/** Of which other contexts a user sees things, himself or through groups. */
@Handles(crossContext.listInboundOfUser)
export class ListInboundOfUserHandler implements Handler<typeof crossContext.listInboundOfUser> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly liaisons: LiaisonRepository,
    private readonly people: People,
  ) {}

  async handle({ query: { context, user } }: CallOf<typeof crossContext.listInboundOfUser>) {
    const tenant = { contextId: context };
    const { groups } = await this.people.user(tenant, user);
    const pairs = await this.database.read(tenant, (db) => this.liaisons.contextsOf(db, [user, ...groups]));
    return { context, user, trustZones: await this.people.zones(tenant, user), liaisons: byModule(pairs) };
  }
}
