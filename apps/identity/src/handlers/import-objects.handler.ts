import { ProvisioningErrors, provisioning, reply, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { ImportMappings } from '../import/field-mapping';
import { Importer, type ImportRequest } from '../import/importer';
import { waitForJob } from '../jobs/job-wait';
import { parseRecipientKey } from '../domain/recipient-encryption';
import { toActor } from '../domain/actor';

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
    if (query.passwords) parseRecipientKey(query.recipient);
    const format = (query.format ?? 'csv') as ImportRequest['format'];
    const order = {
      contextId: query.contextId,
      kind: query.kind as ImportRequest['kind'],
      format,
      mapping: this.mappings.resolveMapping(format, query.map ?? []),
      mode: (query.mode ?? 'create') as ImportRequest['mode'],
      dryRun: query.dryRun ?? false,
      force: query.force ?? false,
      reference: file.reference,
      actor: toActor(principal),
      ...(query.passwords
        ? { passwords: { kind: query.passwords as 'random' | 'invite', recipient: query.recipient! } }
        : {}),
    };
    const { jobId, end } = await this.importer.startImport(order, call);
    await waitForJob(end);
    return reply(await this.importer.getJob(query.contextId, jobId), {
      headers: { Location: `/admin/v1/contexts/${query.contextId}/jobs/${jobId}` },
    });
  }
}
