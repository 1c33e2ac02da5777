import type { CallOf, Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '../../../define-service';
import { kitTest } from '../../kit-test.contract';

/** Lists the notes of the context. */
@Handles(kitTest.notes)
export class NotesHandler implements Handler<typeof kitTest.notes> {
  constructor(private readonly database: ModuleDatabase) {}

  async handle({ principal }: CallOf<typeof kitTest.notes>) {
    const rows = await this.database.read(principal, (db) =>
      db.rows('select text from note where context_id = $1 order by text'),
    );
    return rows.map(([text]) => String(text));
  }
}
