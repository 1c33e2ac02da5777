import { provisioning, type CallOf, type Handler, type ImportedPasswords } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Clock, Handles } from '@groupware/service-kit';
import { JobRepository } from '../persistence/job.repository';
import { Idempotency, toReply } from '../provisioning/idempotency';

const MOST = 1000;

/** Hands out the passwords that an import generated. */
@Handles(provisioning.takePasswords)
export class TakePasswordsHandler implements Handler<typeof provisioning.takePasswords> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly jobs: JobRepository,
    private readonly idempotency: Idempotency,
    private readonly clock: Clock,
  ) {}

  async handle(call: CallOf<typeof provisioning.takePasswords>) {
    const { query } = call;
    const remembered = await this.database.transact(query, (tx) =>
      // A lost reply can be requested again with the same key: only the holder of the private key can read it.
      this.idempotency.runOnce(tx, 'takePasswords', call, async () => {
        const job = await this.jobs.get(tx, query.jobId, this.clock.now());
        return { status: 200, result: await this.jobs.takePasswords(tx, job.id, query.limit ?? MOST) };
      }),
    );
    return toReply<ImportedPasswords>(remembered);
  }
}
