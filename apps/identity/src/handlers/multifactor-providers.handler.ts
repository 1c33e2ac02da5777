import { multifactorProvider, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { FactorProviders } from '../multifactor/factor-providers';
import { PropertyRepository } from '../configuration/property.repository';

/** Kinds of second factors the user may register. */
@Handles(multifactorProvider.all)
export class MultifactorProvidersHandler implements Handler<typeof multifactorProvider.all> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly providers: FactorProviders,
    private readonly properties: PropertyRepository,
  ) {}

  async handle({ principal, query }: CallOf<typeof multifactorProvider.all>) {
    const scoped = await this.database.read(principal, (db) => this.properties.getEffective(db, principal.userId));
    const wanted = query.providers?.map((name) => name.toUpperCase());
    return this.providers
      .listOffered(scoped)
      .filter(({ name }) => !wanted || wanted.includes(name))
      .map(({ name, mayBeBackup, isBackupOnly }) => ({
        name,
        backupProvider: mayBeBackup,
        backupOnlyProvider: isBackupOnly,
      }));
  }
}
