import {
  CatalogueError,
  installation,
  InstallationErrors,
  PRE_ASSEMBLY_ENABLED,
  type CallOf,
  type Handler,
  type PreAssemblyFailure,
  type PreAssemblyResponse,
} from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles, Logger } from '@groupware/service-kit';
import { Cascade } from '../configuration/cascade';
import { CapacityRepository } from '../persistence/capacity.repository';
import { toActor } from '../domain/actor';
import { ContextEditor } from '../provisioning/context-editor';
import { Idempotency, toReply } from '../provisioning/idempotency';

const log = Logger.for('identity.pre-assembly');
/** Operation name of idempotency keys. */
const OPERATION = 'preAssembleContexts';

/** Creates empty contexts that later creations claim. */
@Handles(installation.preAssembleContexts)
export class PreAssembleContextsHandler implements Handler<typeof installation.preAssembleContexts> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly capacity: CapacityRepository,
    private readonly editor: ContextEditor,
    private readonly cascade: Cascade,
    private readonly idempotency: Idempotency,
  ) {}

  async handle(call: CallOf<typeof installation.preAssembleContexts>) {
    const { principal, body } = call;
    const known = await this.database.acrossContexts(
      'contexts that are not there yet have no keys of their own',
      (db) => this.idempotency.findReply(db, OPERATION, call),
    );
    if (known) return toReply<PreAssemblyResponse>(known);
    if (!this.cascade.value(PRE_ASSEMBLY_ENABLED)) throw InstallationErrors.preAssemblyOff();
    await this.requirePlaces(body);
    const contextIds: number[] = [];
    const errors: PreAssemblyFailure[] = [];
    for (let made = 0; made < body.number; made++)
      try {
        contextIds.push(await this.editor.preAssemble(body, toActor(principal)));
      } catch (error) {
        const known = error instanceof CatalogueError ? error : InstallationErrors.full();
        if (known !== error) log.error({ error }, 'a context could not be made');
        errors.push({ message: known.message, code: known.code });
      }
    const result = { contextIds, ...(errors.length > 0 ? { errors } : {}) };
    // Each context was a transaction of its own: the key is stored once all exist.
    const remembered = await this.database.acrossContexts(
      'contexts that are not there yet have no keys of their own',
      (db) =>
        this.idempotency.runOnceForInstallation(db, OPERATION, call, () => Promise.resolve({ status: 200, result })),
    );
    return toReply<PreAssemblyResponse>(remembered);
  }

  private async requirePlaces({ schema, filestoreId }: { schema: string; filestoreId?: number }): Promise<void> {
    await this.database.acrossContexts('shards and file stores belong to the installation', async (db) => {
      if (!(await this.capacity.findShard(db, schema))) throw InstallationErrors.unknownSchema(schema);
      const store = filestoreId === undefined ? undefined : await this.capacity.findFilestore(db, filestoreId);
      const isFull =
        store &&
        ((store.maxContexts >= 0 && store.contexts >= store.maxContexts) ||
          (store.sizeMb >= 0 && store.usedMb >= store.sizeMb));
      if (filestoreId !== undefined && (!store || isFull)) throw InstallationErrors.unknownFilestore(filestoreId);
    });
  }
}
