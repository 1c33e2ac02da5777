import { infostore, reply, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { parseDocumentId } from '../domain/document-id';
import { DocumentVersions } from '../documents/document-versions';

/** `detach`: removes versions of a document. */
@Handles(infostore.detach)
export class DetachHandler implements Handler<typeof infostore.detach> {
  constructor(private readonly versions: DocumentVersions) {}

  async handle({ principal, query, body }: CallOf<typeof infostore.detach>) {
    const named = parseDocumentId(query.id, query.folder);
    const wanted = body.map((version) => (/^\d{1,9}$/.test(version) ? Number(version) : 0));
    const { left, timestamp } = await this.versions.detach(principal, named, wanted, query.timestamp);
    return reply<number[]>([...left], { timestamp });
  }
}
