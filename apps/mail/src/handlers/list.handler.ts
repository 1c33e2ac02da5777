import {
  CatalogueError,
  mail,
  reply,
  RequestErrors,
  type CallOf,
  type Handler,
  type MailReference,
} from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { Mailboxes } from '../accounts/mailboxes';
import { parseMailFolder, parseMailId, toMailFolderId, type MailFolder } from '../domain/mail-folder';
import { resolveMailColumns } from '../messages/mail-columns';
import { MailRows } from '../messages/mail-rows';

/** Mails of one folder. */
export interface FolderReferences {
  readonly folder: MailFolder;
  readonly uids: readonly number[];
}

/** The folder of a reference under either name. @throws SVL-0002 */
export function requireMailFolder({ folder, folder_id }: MailReference): MailFolder {
  const id = folder ?? folder_id;
  if (id == null) throw RequestErrors.missingParameter('folder');
  return parseMailFolder(id);
}

/** Groups references by folder; ids that no server gives are left out. */
export function groupReferences(references: readonly MailReference[]): FolderReferences[] {
  const groups = new Map<string, { folder: MailFolder; uids: Set<number> }>();
  for (const reference of references) {
    const folder = requireMailFolder(reference);
    const uid = parseMailId(reference.id);
    const group = groups.get(toMailFolderId(folder)) ?? { folder, uids: new Set() };
    groups.set(toMailFolderId(folder), group);
    if (uid !== undefined) group.uids.add(uid);
  }
  return [...groups.values()].map(({ folder, uids }) => ({ folder, uids: [...uids] }));
}

/**
 * Does work for the mails of each folder, one folder after the other: a server that is down takes nothing but its own mails with it.
 * @returns why it failed for some of them
 * @throws the first of the errors where it failed for all of them
 */
export async function workByFolder(
  references: readonly MailReference[],
  work: (mails: FolderReferences) => Promise<void>,
): Promise<CatalogueError[]> {
  const groups = groupReferences(references);
  const failed: CatalogueError[] = [];
  for (const group of groups)
    try {
      await work(group);
    } catch (error) {
      if (!(error instanceof CatalogueError)) throw error;
      failed.push(error);
    }
  if (failed.length > 0 && failed.length === groups.length) throw failed[0]!;
  return failed;
}

/** `list`: mails by id, of any folders and accounts, in the order asked for. */
@Handles(mail.list)
export class ListHandler implements Handler<typeof mail.list> {
  constructor(
    private readonly mailboxes: Mailboxes,
    private readonly rows: MailRows,
  ) {}

  async handle(call: CallOf<typeof mail.list>) {
    const { query, body } = call;
    const columns = resolveMailColumns(query);
    const found = new Map<string, unknown[]>();
    const failed: CatalogueError[] = [];
    const groups = groupReferences(body);
    await Promise.all(
      groups.map(async ({ folder, uids }) => {
        try {
          await this.mailboxes.useFolder(call, folder, { repeatable: true }, async (open) => {
            // The id leads, whatever the columns are.
            const rows = await this.rows.listRows(
              call,
              open,
              uids.map((uid) => ({ uid, level: 0 })),
              [{ kind: 'field', property: 'id', name: 'id' }, ...columns],
              query.timezone,
            );
            for (const [id, ...row] of rows) found.set(`${toMailFolderId(folder)}/${String(id)}`, row);
          });
        } catch (error) {
          if (!(error instanceof CatalogueError)) throw error;
          failed.push(error);
        }
      }),
    );
    // One server that is down takes nothing but its own mails with it.
    if (failed.length > 0 && failed.length === groups.length) throw failed[0]!;
    const rows = body.flatMap((reference) => {
      const row = found.get(`${toMailFolderId(requireMailFolder(reference))}/${parseMailId(reference.id) ?? ''}`);
      return row ? [row] : [];
    });
    return reply<unknown[][]>(rows, { warnings: failed });
  }
}
