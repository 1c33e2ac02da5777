import { infostore, reply, type CallOf, type DocumentReference, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { DocumentPlaces } from '../documents/document-places';

/** `delete`: into the trash, or for good. */
@Handles(infostore.delete)
export class DeleteHandler implements Handler<typeof infostore.delete> {
  constructor(private readonly places: DocumentPlaces) {}

  async handle({ principal, query, body }: CallOf<typeof infostore.delete>) {
    const { left, timestamp } = await this.places.delete(principal, body, query.timestamp, query.hardDelete === true);
    return reply<DocumentReference[]>([...left], { timestamp });
  }
}
