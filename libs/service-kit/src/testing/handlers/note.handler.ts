import type { CallOf, Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '../../define-service';
import { kitTest, kitTestEvents } from '../kit-test.contract';

/** Stores a note and publishes its event in one transaction. */
@Handles(kitTest.note)
export class NoteHandler implements Handler<typeof kitTest.note> {
  constructor(private readonly database: ModuleDatabase) {}

  async handle({ principal, query }: CallOf<typeof kitTest.note>) {
    return this.database.transact(principal, async (tx) => {
      const stored = await tx.run('insert into note (context_id, text) values ($1, $2)', query.text);
      await tx.publish(kitTestEvents.noted, { text: query.text });
      return stored;
    });
  }
}
