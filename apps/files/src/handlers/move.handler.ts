import {
  FILE_RIGHTS,
  infostore,
  reply,
  waiveCheck,
  type CallOf,
  type DocumentReference,
  type Handler,
} from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { DocumentPlaces } from '../documents/document-places';
import { parseTargetId } from '../folders/folder-access';

/** `move` by PUT: several documents. */
@Handles(infostore.move)
export class MoveHandler implements Handler<typeof infostore.move> {
  constructor(private readonly places: DocumentPlaces) {}

  async handle({ principal, query, body }: CallOf<typeof infostore.move>) {
    const target = parseTargetId(query.folder);
    if (body.length === 0) waiveCheck(FILE_RIGHTS.remove, 'nothing is named');
    const { left, timestamp } = await this.places.move(principal, body, target, query.autorename !== false);
    return reply<DocumentReference[]>([...left], { timestamp });
  }
}
