import { infostore, reply, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { parseDocumentId } from '../domain/document-id';
import { DocumentVersions } from '../documents/document-versions';

/** `revert`: removes all versions of a document. */
@Handles(infostore.revert)
export class RevertHandler implements Handler<typeof infostore.revert> {
  constructor(private readonly versions: DocumentVersions) {}

  async handle({ principal, query }: CallOf<typeof infostore.revert>) {
    const named = parseDocumentId(query.id, query.folder);
    const timestamp = await this.versions.revert(principal, named, query.timestamp);
    return reply<Record<string, never>>({}, { timestamp });
  }
}
