import { infostore, reply, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { parseDocumentId } from '../domain/document-id';
import { DocumentVersions } from '../documents/document-versions';

/** `lock`: keeps others from changing a document. */
@Handles(infostore.lock)
export class LockHandler implements Handler<typeof infostore.lock> {
  constructor(private readonly versions: DocumentVersions) {}

  async handle({ principal, query }: CallOf<typeof infostore.lock>) {
    const timestamp = await this.versions.lock(principal, parseDocumentId(query.id), query.diff);
    return reply<boolean>(true, { timestamp });
  }
}
