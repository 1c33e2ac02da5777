import * as fc from 'fast-check';
import { unzipped } from '../attachments/zip';
import type { Client, Envelope } from '../client';
import type { TestUser } from '../fixtures';
import { update as updateFolder } from '../folders/folders';
import { keepOutOfLogs } from '../secrets';
import { shareOf, Visitor } from '../sharing/sharing';
import { shareTestEnvironment, type TestEnvironment } from '../test-environment';
import {
  addVersion,
  BITS,
  change,
  createFileFixtures,
  createFolder,
  FORCE,
  move,
  upload,
  type FileFixtures,
} from './files';

/** Changes that are drawn, each of which is followed by the questions of all readers; 400 for the full size. */
const CHANGES = Number(process.env.E2E_RIGHTS_CHANGES ?? 8);
const SEED = Number(process.env.SEED ?? 25);
/** Folder in which documents are seen that are shared by themselves. */
const SHARED = '10';
const VIEWER = 257;
/** Rights on folders: only seen, read by all or by creators, written, created without reading, read without being seen. */
const FOLDER_BITS = [1, VIEWER, 1 | (1 << 7), BITS.author, 2, 2 << 7] as const;

interface Entry {
  readonly entity: number;
  readonly group: boolean;
  readonly bits: number;
}

interface ModelFolder {
  id: string;
  owner: TestUser;
  parent: string | undefined;
  entries: Entry[];
  /** The guest of its link. */
  link?: number;
}

interface ModelDocument {
  number: string;
  name: string;
  folder: ModelFolder;
  creator: number;
  entries: Entry[];
  /** The guest of its link. */
  link?: number;
}

/** A reader: a user, a named guest or who came by a link. */
interface Reader {
  readonly name: string;
  readonly client: Client;
  readonly id: number;
  groups: readonly number[];
  /** Guests share nothing. */
  readonly isGuest: boolean;
}

let world: TestEnvironment;
let cast: FileFixtures;
let readers: Reader[];
let folders: ModelFolder[];
let documents: ModelDocument[];
const links = new Map<number, { url: string; visitor: Visitor }>();

const rank = (bits: number, shift: number): number => (bits >> shift) & 127;
const rightsOf = (entries: readonly Entry[], { id, groups }: Reader, shift: number): number =>
  entries
    .filter(({ entity, group }) => (group ? groups.includes(entity) : entity === id))
    .reduce((most, { bits }) => Math.max(most, rank(bits, shift)), 0);
/** The model: rights on the folder, which must be seen, else those on the document itself. */
const readsIn = (folder: ModelFolder, reader: Reader): number =>
  rightsOf(folder.entries, reader, 0) > 0 ? rightsOf(folder.entries, reader, 7) : 0;
const readsByFolder = ({ folder, creator }: ModelDocument, reader: Reader): boolean =>
  readsIn(folder, reader) >= 2 || (readsIn(folder, reader) === 1 && creator === reader.id);
const isShared = ({ entries, folder }: ModelDocument, reader: Reader): boolean =>
  folder.owner.userId !== reader.id && rightsOf(entries, reader, 0) > 0;
const reads = (document: ModelDocument, reader: Reader): boolean =>
  readsByFolder(document, reader) || isShared(document, reader);
const idOf = ({ folder, number }: ModelDocument): string => `${folder.id}/${number}`;

const listOf = ({ owner, entries }: ModelFolder): object[] => [
  { entity: owner.userId, group: false, bits: BITS.administrator },
  ...entries.filter(({ entity }) => entity !== owner.userId),
];
const ownerEntry = (owner: TestUser): Entry => ({ entity: owner.userId, group: false, bits: BITS.administrator });
const require = (answer: Envelope): Envelope => {
  if (answer.error !== undefined) throw new Error(JSON.stringify(answer));
  return answer;
};

beforeAll(async () => {
  world = await shareTestEnvironment();
  cast = await createFileFixtures(world);
  const { U1, U2, U3, X1, team, P1, P2 } = cast;
  const add = async (owner: TestUser, parent: string): Promise<ModelFolder> => {
    const id = await createFolder(owner, parent);
    await updateFolder(owner, id, {
      permissions: [ownerEntry(owner), { entity: team, group: true, bits: BITS.author }],
    });
    const folder = { id, owner, parent, entries: [ownerEntry(owner)] };
    folders.push(folder);
    return folder;
  };
  folders = [];
  const top = await add(U1, P1);
  await add(U1, (await add(U1, top.id)).id);
  await add(U1, '15');
  await add(U1, P1);
  await add(U2, P2);
  documents = [];
  for (const folder of folders)
    for (const creator of [U1, U2]) {
      const name = `model ${documents.length}.txt`;
      const id = await upload(creator, folder.id, name, `of ${name}`);
      documents.push({ number: id.split('/')[1]!, name, folder, creator: creator.userId, entries: [] });
    }
  await addVersion(U1, idOf(documents[0]!), 'newer', {}, {}, documents[0]!.name);
  for (const folder of folders) require(await updateFolder(folder.owner, folder.id, { permissions: listOf(folder) }));
  // A guest stays as long as something is shared with him: a folder beside the model.
  const stay = await createFolder(U1, P1);
  const email = 'model@out.example';
  const entry = { type: 'guest', email_address: email, bits: VIEWER };
  require(await updateFolder(U1, stay, { permissions: [ownerEntry(U1), entry] }));
  const share = await shareOf(U1, stay, email);
  const guest = new Visitor(world.publicUrl, 'Model/guest');
  await guest.enter('guest', { share: share.token });
  const toReader = (name: string, client: Client, id: number, groups: number[], isGuest = false): Reader => ({
    ...{ name, client, id, groups, isGuest },
  });
  readers = [
    toReader('U1', U1, U1.userId, [0, team]),
    toReader('U2', U2, U2.userId, [0, team]),
    toReader('U3', U3, U3.userId, [0]),
    // Of another context, where numbers may be the same: nothing is shared with him.
    toReader('X1', X1, -1, []),
    toReader('guest', guest, share.entity, [], true),
  ];
}, 120_000);
afterAll(() => world?.close());

const numbersOf = ({ data }: Envelope<any>): string[] =>
  (Array.isArray(data) ? data : [])
    .flatMap((row: unknown) => (Array.isArray(row) ? [String(row[0]).split('/')[1]!] : []))
    .sort();
const numbers = (list: readonly ModelDocument[]): string[] => list.map(({ number }) => number).sort();

/** Asks a reader for everything by every way, and compares the answers with the model. */
async function expectModel(reader: Reader): Promise<void> {
  const { client, name } = reader;
  const readable = documents.filter((document) => reads(document, reader));
  const known = new Set(numbers(documents));
  const seen = (answer: Envelope<any>): string[] => numbersOf(answer).filter((number) => known.has(number));
  for (const folder of folders) {
    const inside = documents.filter((document) => document.folder === folder);
    const expected = numbers(inside.filter((document) => readsByFolder(document, reader)));
    const query = { folder: folder.id, columns: '1' };
    const listed = await client.get('infostore', 'all', query);
    expect([name, folder.id, 'all', listed.error === undefined, seen(listed)]).toEqual([
      ...[name, folder.id, 'all', readsIn(folder, reader) > 0, expected],
    ]);
    const updates = await client.get('infostore', 'updates', { ...query, timestamp: 0 });
    expect([name, folder.id, 'updates', seen(updates)]).toEqual([name, folder.id, 'updates', expected]);
    const archive = await client.fetch('GET', '/infostore', {
      ...{ action: 'zipfolder', session: client.session, folder: folder.id },
    });
    const names = await namesOf(archive);
    const packed = inside.filter((document) => readsByFolder(document, reader)).map((document) => document.name);
    expect([name, folder.id, 'zipfolder', names]).toEqual([
      ...[name, folder.id, 'zipfolder', readsIn(folder, reader) > 0 ? packed.sort() : undefined],
    ]);
  }
  const alone = numbers(documents.filter((document) => isShared(document, reader)));
  const shown = { folder: SHARED, columns: '1' };
  for (const action of ['all', 'updates'])
    expect([name, action, seen(await client.get('infostore', action, { ...shown, timestamp: 0 }))]).toEqual([
      ...[name, action, alone],
    ]);
  const sharedNames = documents.filter((document) => isShared(document, reader)).map((document) => document.name);
  const archive = await namesOf(
    await client.fetch('GET', '/infostore', { action: 'zipfolder', session: client.session, folder: SHARED }),
  );
  const names = new Set(documents.map((document) => document.name));
  expect([name, 'zipfolder', archive?.filter((each) => names.has(each))]).toEqual([
    ...[name, 'zipfolder', sharedNames.sort()],
  ]);
  const found = await client.put('infostore', 'search', { columns: '1' }, { pattern: 'model *' });
  expect([name, 'search', seen(found)]).toEqual([name, 'search', numbers(readable)]);
  const own = documents.filter(({ entries, creator }) => entries.length > 0 && creator === reader.id);
  const shares = await client.get('infostore', 'shares', { columns: '1' });
  expect([name, 'shares', seen(shares)]).toEqual([
    ...[name, 'shares', reader.isGuest ? [] : numbers(own.filter((document) => readsByFolder(document, reader)))],
  ]);
  const references = (list: readonly ModelDocument[]) =>
    list.map((document) => ({ id: idOf(document), folder: document.folder.id }));
  const byFolder = documents.filter((document) => readsByFolder(document, reader));
  const list = await client.put('infostore', 'list', { columns: '1' }, references(byFolder));
  expect([name, 'list', seen(list)]).toEqual([name, 'list', numbers(byFolder)]);
  for (const document of documents) {
    const may = reads(document, reader);
    const query = { id: idOf(document), folder: document.folder.id };
    const got = await client.get<any>('infostore', 'get', query);
    expect([name, query.id, 'get', got.data?.title]).toEqual([name, query.id, 'get', may ? document.name : undefined]);
    const versions = await client.get<any>('infostore', 'versions', { id: query.id, columns: '705' });
    // Guests of a document do not see what it was before.
    const seesFormer = !reader.isGuest || readsByFolder(document, reader) || document !== documents[0];
    const listed = (document === documents[0] ? [['1'], ['2']] : [['1']]).slice(seesFormer ? 0 : 1);
    expect([name, query.id, 'versions', versions.data]).toEqual([name, query.id, 'versions', may ? listed : undefined]);
    const count = may ? listed.length : undefined;
    expect([name, query.id, 'count', got.data?.number_of_versions]).toEqual([name, query.id, 'count', count]);
    const bytes = await (
      await client.fetch('GET', '/infostore', { action: 'document', session: client.session, ...query })
    ).text();
    const content = document === documents[0] ? 'newer' : `of ${document.name}`;
    expect([name, query.id, 'document', bytes === content]).toEqual([name, query.id, 'document', may]);
    // One that may not be read spoils the archive.
    const packed = await client.fetch(
      'PUT',
      '/infostore',
      { action: 'zipdocuments', session: client.session },
      { body: JSON.stringify([{ id: query.id }]) },
    );
    expect([name, query.id, 'zip', await namesOf(packed)]).toEqual([
      ...[name, query.id, 'zip', may ? [document.name] : undefined],
    ]);
  }
}

/** Names in an archive; undefined for a refusal. */
async function namesOf(response: Response): Promise<string[] | undefined> {
  const isArchive = response.headers.get('content-type') === 'application/zip';
  const bytes = Buffer.from(await response.arrayBuffer());
  return isArchive ? Object.keys(unzipped(bytes)).sort() : undefined;
}

type Change = fc.Arbitrary<() => Promise<string>>;
const folderIndex = fc.nat({ max: 5 });
const documentIndex = fc.nat({ max: 11 });
/** Users, groups and a guest, whom lists of others than U1 must not name. */
const entriesOf = (bits: readonly number[]) =>
  fc.uniqueArray(fc.record({ who: fc.nat({ max: 5 }), bits: fc.constantFrom(...bits) }), {
    selector: ({ who }) => who,
    maxLength: 4,
  });
function toEntries(drawn: readonly { who: number; bits: number }[], owner: TestUser): Entry[] {
  const { U1, U2, U3, team } = cast;
  const all = [
    ...[U1, U2, U3].map(({ userId }) => ({ entity: userId, group: false })),
    ...[team, 0].map((entity) => ({ entity, group: true })),
    { entity: readers.find(({ name }) => name === 'guest')!.id, group: false },
  ];
  return drawn
    .filter(({ who }) => who !== 5 || owner === U1)
    .map(({ who, bits }) => ({ ...all[who]!, bits }))
    .filter(({ entity, group }) => group || entity !== owner.userId);
}

/** Documents and folders change hands, places, links and rights. */
const changes: Change = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.tuple(folderIndex, entriesOf(FOLDER_BITS)).map(
      ([at, drawn]) =>
        () =>
          shareFolder(at, drawn),
    ),
  },
  {
    weight: 3,
    arbitrary: fc.tuple(documentIndex, entriesOf([1, 2])).map(
      ([at, drawn]) =>
        () =>
          shareDocument(at, drawn),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(folderIndex, fc.boolean()).map(
      ([at, branch]) =>
        () =>
          openLink(at, branch),
    ),
  },
  { weight: 1, arbitrary: folderIndex.map((at) => () => closeLink(at)) },
  { weight: 2, arbitrary: documentIndex.map((at) => () => openDocumentLink(at)) },
  { weight: 1, arbitrary: documentIndex.map((at) => () => closeDocumentLink(at)) },
  { weight: 2, arbitrary: fc.nat({ max: 2 }).map((who) => () => changeTeam(who)) },
  {
    weight: 1,
    arbitrary: fc.tuple(documentIndex, folderIndex).map(
      ([at, to]) =>
        () =>
          moveDocument(at, to),
    ),
  },
  { weight: 1, arbitrary: fc.constant(() => moveBranch()) },
);

async function shareFolder(at: number, drawn: readonly { who: number; bits: number }[]): Promise<string> {
  const folder = folders[at]!;
  const kept = folder.entries.filter(({ entity, group }) => !group && links.has(entity));
  folder.entries = [ownerEntry(folder.owner), ...kept, ...toEntries(drawn, folder.owner)];
  require(await updateFolder(folder.owner, folder.id, { permissions: listOf(folder) }));
  return `rights on folder ${folder.id}: ${JSON.stringify(folder.entries)}`;
}

async function shareDocument(at: number, drawn: readonly { who: number; bits: number }[]): Promise<string> {
  const document = documents[at]!;
  const { owner } = document.folder;
  const kept = document.entries.filter(({ entity, group }) => !group && entity === document.link);
  document.entries = [...kept, ...toEntries(drawn, owner)];
  require(await change(owner, idOf(document), { object_permissions: document.entries }));
  return `rights on document ${idOf(document)}: ${JSON.stringify(document.entries)}`;
}

const below = (folder: ModelFolder): ModelFolder[] =>
  folders.filter(({ parent }) => parent === folder.id).flatMap((child) => [child, ...below(child)]);

async function openLink(at: number, branch: boolean): Promise<string> {
  const folder = folders[at]!;
  const target = { module: 'infostore', folder: folder.id };
  const { data } = require(await folder.owner.put('share/management', 'getLink', {}, target));
  const body = { ...target, includeSubfolders: branch };
  require(await folder.owner.put('share/management', 'updateLink', { timestamp: FORCE }, body));
  const { entity, url } = data as { entity: number; url: string };
  folder.link = entity;
  const entry = { entity, group: false, bits: VIEWER };
  for (const each of folders) each.entries = each.entries.filter((other) => other.group || other.entity !== entity);
  for (const each of [folder, ...(branch ? below(folder) : [])]) each.entries.push(entry);
  await addLinkReader(entity, url);
  return `link ${entity} on folder ${folder.id}, with those below: ${branch}`;
}

/** Adds who comes by a link to the readers. */
async function addLinkReader(entity: number, url: string): Promise<void> {
  keepOutOfLogs(url.split('/').at(-2));
  if (links.has(entity)) return;
  const visitor = await new Visitor(world.publicUrl, `Model/${entity}`).open(url);
  links.set(entity, { url, visitor });
  readers.push({ name: `link ${entity}`, client: visitor, id: entity, groups: [], isGuest: true });
}

/** With the answer to its end the session of a link is over, and its address opens nothing. */
async function expectEnd(link: number): Promise<void> {
  const { url, visitor } = links.get(link)!;
  expect((await visitor.get('infostore', 'all', { folder: SHARED, columns: '1' })).code).toBe('SES-0203');
  expect((await new Visitor(world.publicUrl, 'Model/late').open(url)).status).toBe(404);
  links.delete(link);
  readers = readers.filter(({ id }) => id !== link);
}

const targetOf = ({ folder, number }: ModelDocument) => ({ module: 'infostore', folder: folder.id, item: number });

async function openDocumentLink(at: number): Promise<string> {
  const document = documents[at]!;
  const { data } = require(await document.folder.owner.put('share/management', 'getLink', {}, targetOf(document)));
  const { entity, url } = data as { entity: number; url: string };
  if (document.link === undefined) document.entries.push({ entity, group: false, bits: 1 });
  document.link = entity;
  await addLinkReader(entity, url);
  return `link ${entity} on document ${idOf(document)}`;
}

async function closeDocumentLink(at: number): Promise<string> {
  const document = documents[at]!;
  const { link } = document;
  if (link === undefined) return 'nothing';
  const body = targetOf(document);
  require(await document.folder.owner.put('share/management', 'deleteLink', { timestamp: FORCE }, body));
  await expectEnd(link);
  delete document.link;
  document.entries = document.entries.filter(({ entity, group }) => group || entity !== link);
  return `no link ${link} on document ${idOf(document)}`;
}

/** A user leaves the group, or comes into it. */
async function changeTeam(who: number): Promise<string> {
  const { admin, contextId, team } = cast;
  const reader = readers[who]!;
  const isMember = reader.groups.includes(team);
  const member = `/admin/v1/contexts/${contextId}/groups/${team}/members/${reader.id}`;
  await admin.expect(isMember ? 'DELETE' : 'PUT', member);
  reader.groups = isMember ? [0] : [0, team];
  return `${reader.name} ${isMember ? 'out of' : 'into'} the group`;
}

async function closeLink(at: number): Promise<string> {
  const folder = folders[at]!;
  const { link } = folder;
  if (link === undefined) return 'nothing';
  const target = { module: 'infostore', folder: folder.id };
  require(await folder.owner.put('share/management', 'deleteLink', { timestamp: FORCE }, target));
  await expectEnd(link);
  delete folder.link;
  for (const each of folders) each.entries = each.entries.filter(({ entity, group }) => group || entity !== link);
  return `no link ${link} on folder ${folder.id}`;
}

async function moveDocument(at: number, to: number): Promise<string> {
  const [document, folder] = [documents[at]!, folders[to]!];
  const { U1 } = cast;
  // Owners move between folders of their own, and what goes to public folders is no longer shared by itself.
  if (document.folder.owner !== U1 || folder.owner !== U1 || document.folder === folder) return 'nothing';
  require(await move(U1, [idOf(document)], folder.id));
  document.folder = folder;
  if (folder.parent === '15') {
    document.entries = [];
    if (document.link !== undefined) await expectEnd(document.link);
    delete document.link;
  }
  return `document ${document.number} in folder ${folder.id}`;
}

/** The lowest folder goes below another one of its owner, or back: links of folders above it lead to it no more. */
async function moveBranch(): Promise<string> {
  const [, middle, lowest, , other] = folders as [ModelFolder, ModelFolder, ModelFolder, ModelFolder, ModelFolder];
  const parent = lowest.parent === middle.id ? other : middle;
  require(await updateFolder(cast.U1, lowest.id, { folder_id: parent.id }, { timestamp: FORCE }));
  lowest.parent = parent.id;
  const around = new Set([lowest.link, parent.link, ...(parent === middle ? [folders[0]!.link] : [])]);
  lowest.entries = lowest.entries.filter(({ entity, group }) => group || !links.has(entity) || around.has(entity));
  return `folder ${lowest.id} below ${parent.id}`;
}

describe('what a reader gets', () => {
  it('is what the rights on folders and documents say, by whatever way and after whatever change', async () => {
    const history: string[] = [];
    try {
      for (const apply of fc.sample(changes, { numRuns: CHANGES, seed: SEED })) {
        history.push(await apply());
        for (const reader of readers) await expectModel(reader);
      }
    } catch (error) {
      throw new Error(`seed ${SEED}, after ${history.join('; ')}`, { cause: error });
    }
  }, 3_600_000);
});
