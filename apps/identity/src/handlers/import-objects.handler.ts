import { ProvisioningErrors, provisioning, reply, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { ImportMappings } from '../import/field-mapping';
import { Importer, type ImportOrder } from '../import/importer';
import { patiently } from '../jobs/patience';
import { recipientKey } from '../domain/sealing';
import { actorOf } from '../provisioning/actor';

/** Imports users, groups or resources. */
@Handles(provisioning.importObjects)
export class ImportObjectsHandler implements Handler<typeof provisioning.importObjects> {
  constructor(
    private readonly importer: Importer,
    private readonly mappings: ImportMappings,
  ) {}

  async handle(call: CallOf<typeof provisioning.importObjects>) {
    const { principal, query, files } = call;
    const [file] = files;
    if (!file) throw ProvisioningErrors.unreadableImport('no file');
    if (query.passwords) recipientKey(query.recipient);
    const format = (query.format ?? 'csv') as ImportOrder['format'];
    const order = {
      contextId: query.contextId,
      kind: query.kind as ImportOrder['kind'],
      format,
      mapping: this.mappings.of(format, query.map ?? []),
      mode: (query.mode ?? 'create') as ImportOrder['mode'],
      dryRun: query.dryRun ?? false,
      force: query.force ?? false,
      reference: file.reference,
      actor: actorOf(principal),
      ...(query.passwords
        ? { passwords: { kind: query.passwords as 'random' | 'invite', recipient: query.recipient! } }
        : {}),
    };
    const { jobId, end } = await this.importer.begin(order, call);
    await patiently(end);
    return reply(await this.importer.job(query.contextId, jobId), {
      headers: { Location: `/admin/v1/contexts/${query.contextId}/jobs/${jobId}` },
    });
  }
}
