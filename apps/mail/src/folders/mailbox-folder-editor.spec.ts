import type { OwnedFolderChange, OwnedFolderCreation, OwnedFolderRemoval, UserRequest } from '@groupware/contracts';
import type { ModuleDatabase } from '@groupware/persistence';
import type { Mailboxes } from '../accounts/mailboxes';
import type { FolderNotices } from './folder-notices';
import type { FolderRules } from './folder-rules';
import type { MailboxPermissions } from './mailbox-permissions';
import { MailboxFolderEditor } from './mailbox-folder-editor';

/** The parts of something that a test needs. */
const partOf = <T>(parts: object): T => Object.assign(Object.create(null), parts) as T;

/** The paths of a mailbox; the next change after which the process dies. */
let paths: Set<string>;
let dies: 'before' | 'after' | undefined;
/** Decisions of the call, in their order, as its repetition finds them. */
let noted: unknown[];

function change(what: () => void): void {
  if (dies === 'before') throw new Error('killed');
  what();
  if (dies === 'after') throw new Error('killed');
}

const session = {
  separator: '.',
  listMailboxes: async () =>
    [...paths].map((path) => ({
      path,
      name: path.split('.').at(-1),
      flags: new Set(),
      parent: path.split('.').slice(0, -1),
      subscribed: true,
      specialUse: path === 'Trash' ? '\\Trash' : undefined,
    })),
  createMailbox: async (path: string) => change(() => paths.add(path)),
  renameMailbox: async (from: string, to: string) =>
    change(() => {
      paths.delete(from);
      paths.add(to);
    }),
  deleteMailbox: async (path: string) => change(() => paths.delete(path)),
  subscribe: async () => undefined,
};

/** Sends a call of the editor; a repetition finds what was decided. */
function send<T>(call: (editor: MailboxFolderEditor, request: UserRequest) => Promise<T>): Promise<T> {
  let step = 0;
  const database = partOf<ModuleDatabase>({
    decide: async <D>(_tenant: unknown, plan: () => D) => {
      if (noted.length === step) noted.push(plan());
      return noted[step++] as D;
    },
  });
  const account = { id: 0, folders: {} };
  const mailboxes = partOf<Mailboxes>({
    useAccount: async (_request: unknown, _id: number, _use: object, work: (...parts: unknown[]) => unknown) =>
      work(session, account),
  });
  const rules = partOf<FolderRules>({ followFolder: async () => undefined });
  const permissions = partOf<MailboxPermissions>({});
  const notices = partOf<FolderNotices>({ notifyNewcomers: async () => undefined });
  const editor = new MailboxFolderEditor(mailboxes, rules, permissions, notices, database);
  return call(editor, partOf({ principal: { contextId: 1, userId: 3 } }));
}

beforeEach(() => {
  paths = new Set(['INBOX', 'Trash', 'taken', 'old']);
  dies = undefined;
  noted = [];
});

describe.each(['before', 'after'] as const)('a call that is sent again, as its process died %s the change', (when) => {
  async function twice<T>(call: (editor: MailboxFolderEditor, request: UserRequest) => Promise<T>): Promise<T> {
    dies = when;
    await expect(send(call)).rejects.toThrow('killed');
    dies = undefined;
    return send(call);
  }

  it('creates one folder, with one number', async () => {
    const creation = partOf<OwnedFolderCreation>({ parent: 'default0', title: 'taken', autorename: true });
    expect(await twice((editor, request) => editor.createFolder(request, creation))).toMatchObject({
      id: 'default0/taken (1)',
    });
    expect([...paths].filter((path) => path.startsWith('taken'))).toEqual(['taken', 'taken (1)']);
  });

  it('renames a folder once', async () => {
    const changed = partOf<OwnedFolderChange>({ id: 'default0/old', title: 'new' });
    expect(await twice((editor, request) => editor.updateFolder(request, changed))).toMatchObject({
      id: 'default0/new',
    });
    expect(paths.has('old')).toBe(false);
  });

  it('renames a folder to its name in other letters', async () => {
    const changed = partOf<OwnedFolderChange>({ id: 'default0/old', title: 'Old' });
    expect(await twice((editor, request) => editor.updateFolder(request, changed))).toMatchObject({
      id: 'default0/Old',
    });
    expect([...paths].filter((path) => /^old$/i.test(path))).toEqual(['Old']);
  });

  it('deletes a folder for good, and refuses what was not there', async () => {
    const removal = partOf<OwnedFolderRemoval>({ ids: ['default0/none', 'default0/old'], hardDelete: true });
    const { refused } = await twice((editor, request) => editor.removeFolders(request, removal));
    expect(refused.map(({ id }) => id)).toEqual(['default0/none']);
    expect(paths.has('old')).toBe(false);
  });
});
