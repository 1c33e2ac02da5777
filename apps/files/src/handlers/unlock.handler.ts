import { infostore, reply, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { parseDocumentId } from '../domain/document-id';
import { DocumentVersions } from '../documents/document-versions';

/** `unlock`: ends the lock of a document. */
@Handles(infostore.unlock)
export class UnlockHandler implements Handler<typeof infostore.unlock> {
  constructor(private readonly versions: DocumentVersions) {}

  async handle({ principal, query }: CallOf<typeof infostore.unlock>) {
    const timestamp = await this.versions.unlock(principal, parseDocumentId(query.id));
    return reply<boolean>(true, { timestamp });
  }
}
