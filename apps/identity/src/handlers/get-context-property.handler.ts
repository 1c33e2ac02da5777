import { type CallOf, type Handler, provisioning } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { ContextRepository } from '../persistence/context.repository';
import { PropertyEditor } from '../provisioning/property-editor';

/** Reads a property set for a context. */
@Handles(provisioning.getContextProperty)
export class GetContextPropertyHandler implements Handler<typeof provisioning.getContextProperty> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly contexts: ContextRepository,
    private readonly editor: PropertyEditor,
  ) {}

  async handle({ query }: CallOf<typeof provisioning.getContextProperty>) {
    return this.database.read(query, async (db) => {
      await this.contexts.get(db);
      return this.editor.getProperty(db, 0, query.property);
    });
  }
}
