import { infostore, reply, type CallOf, type Handler, type RestoredDocument } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { DocumentPlaces } from '../documents/document-places';

/** `restore`: documents of the trash, to where they were. */
@Handles(infostore.restore)
export class RestoreHandler implements Handler<typeof infostore.restore> {
  constructor(private readonly places: DocumentPlaces) {}

  async handle({ principal, body }: CallOf<typeof infostore.restore>) {
    const { restored, timestamp } = await this.places.restore(principal, body);
    return reply<RestoredDocument[]>([...restored], { timestamp });
  }
}
