import {
  defineRights,
  readRight,
  recordCheck,
  requireRights,
  AttachmentErrors,
  attachmentEvents,
  attachmentOwner,
  event,
  eventCatalog,
  type CallOf,
  type EventMessage,
  type Handler,
  type PayloadOf,
} from '@groupware/contracts';
import { type Migration, type MigrationRunner, ModuleDatabase, type Transaction } from '@groupware/persistence';
import { Consumes, type Consumer, defineService, Handles } from '@groupware/service-kit';

/** Module id of attachments that no module of the product owns. */
export const CARDS = 99;

const boardEvents = eventCatalog('board', { 'card.deleted': event<{ id: number }>('A card is gone') });
const CARD_RIGHTS = defineRights('card', { read: readRight('Who knows the folder of a card') });
const boardAttachments = attachmentOwner('board', {
  id: CARDS,
  access: requireRights(CARD_RIGHTS.read),
  deleted: boardEvents['card.deleted'],
});

class CreateBoard1763700000000 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.query(`create table card (context_id int, id int, folder int, owner int, files int, revision bigint,
      primary key (context_id, id))`);
  }

  async down(db: MigrationRunner): Promise<void> {
    await db.query('drop table card');
  }
}

/** Readers see a card through its folder; its owner writes. */
@Handles(boardAttachments.access)
class AccessHandler implements Handler<typeof boardAttachments.access> {
  constructor(private readonly database: ModuleDatabase) {}

  async handle({ principal: { user }, query }: CallOf<typeof boardAttachments.access>): Promise<boolean> {
    const [card] = await this.database.read(user!, (db) =>
      db.objects<{ owner: number }>(
        'select owner from card where context_id = $1 and id = $2 and folder = $3',
        query.object,
        query.folder,
      ),
    );
    recordCheck(CARD_RIGHTS.read);
    if (!card || (query.write && card.owner !== user!.userId)) throw AttachmentErrors.invalid('not your card');
    return true;
  }
}

const updateCount = async (tx: Transaction, id: number, count: number, revision: number): Promise<number> =>
  (await tx.run(
    `update card set files = case when revision < $4 then $3 else files end, revision = greatest(revision, $4)
     where context_id = $1 and id = $2`,
    id,
    count,
    revision,
  )) && revision;

@Handles(boardAttachments.changed)
class ChangedHandler implements Handler<typeof boardAttachments.changed> {
  constructor(private readonly database: ModuleDatabase) {}

  handle({ principal, query }: CallOf<typeof boardAttachments.changed>): Promise<number> {
    return this.database.transact(principal, (tx) => updateCount(tx, query.object, query.count, query.revision));
  }
}

const changed = attachmentEvents['object.changed'];

@Consumes(changed)
class ChangedConsumer implements Consumer<typeof changed> {
  async handle({ payload }: EventMessage<PayloadOf<typeof changed>>, tx: Transaction): Promise<void> {
    if (payload.module === CARDS) await updateCount(tx, payload.object, payload.count, payload.revision);
  }
}

let database: ModuleDatabase;

/** A module whose cards carry attachments. */
export const board = defineService({
  name: 'board',
  contracts: [boardAttachments],
  directory: `${__dirname}/board`,
  handlers: [AccessHandler, ChangedHandler],
  consumers: [ChangedConsumer],
  migrations: [CreateBoard1763700000000],
  afterStart: (module) => {
    database = module.get(ModuleDatabase, { strict: false });
    return Promise.resolve();
  },
});

/** Makes a card. */
export const createCard = (owner: { contextId: number; userId: number }, id: number, folder: number) =>
  database.transact(owner, (tx) => tx.run('insert into card values ($1, $2, $3, $4, 0, 0)', id, folder, owner.userId));

/** Deletes a card as a module would: with an event. */
export const deleteCard = (owner: { contextId: number }, id: number) =>
  database.transact(owner, async (tx) => {
    await tx.run('delete from card where context_id = $1 and id = $2', id);
    await tx.publish(boardEvents['card.deleted'], { id });
  });

/** Number of files that a card knows of. */
export const countFiles = (owner: { contextId: number }, id: number) =>
  database.read(owner, async (db) => {
    const [card] = await db.objects<{ files: number }>('select files from card where context_id = $1 and id = $2', id);
    return card?.files;
  });
