import { infostore, reply, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { parseDocumentId } from '../domain/document-id';
import { DocumentPlaces } from '../documents/document-places';
import { parseTargetId } from '../folders/folder-access';

/** `move` by GET: one document. */
@Handles(infostore.moveOne)
export class MoveOneHandler implements Handler<typeof infostore.moveOne> {
  constructor(private readonly places: DocumentPlaces) {}

  async handle({ principal, query }: CallOf<typeof infostore.moveOne>) {
    const named = parseDocumentId(query.id);
    const { id, timestamp } = await this.places.moveOne(principal, named, parseTargetId(query.folder), query.timestamp);
    return reply<string>(id, { timestamp });
  }
}
