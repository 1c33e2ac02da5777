import {
  MAX_SNIPPETS,
  QuotaErrors,
  recordCheck,
  RequestErrors,
  SNIPPET_RIGHTS,
  SnippetErrors,
  type NewSnippet,
  type Snippet,
  type SnippetUpdate,
  type UserPrincipal,
} from '@groupware/contracts';
import { ModuleDatabase, type Reader, type Transaction } from '@groupware/persistence';
import { BasePathSettings, Clock, Properties } from '@groupware/service-kit';
import { StoredFileRepository, StoredFiles } from '@groupware/stored-files';
import { Injectable } from '@nestjs/common';
import { showPictures } from '../domain/snippet-content';
import { parseSnippetId } from '../domain/snippet-id';
import { SnippetClaims } from './snippet-claims';
import { SnippetTexts, type NewPicture, type PreparedText } from './snippet-texts';
import { SnippetRepository, type SnippetFileRow, type SnippetRow } from './snippet.repository';

/** Longest name, type and module, characters. */
const MAX_NAME = 255;
/** Longest facts of the client, characters of their JSON. */
const MAX_FACTS = 65_536;
const NO_ACCOUNT = -1;

/** A snippet with its files. */
export interface OpenedSnippet {
  readonly row: SnippetRow;
  readonly files: readonly SnippetFileRow[];
}

/** Keeps signatures and text blocks of users. */
@Injectable()
export class Snippets {
  private readonly basePath: string;

  constructor(
    private readonly database: ModuleDatabase,
    private readonly rows: SnippetRepository,
    private readonly contents: StoredFileRepository,
    private readonly stored: StoredFiles,
    private readonly claims: SnippetClaims,
    private readonly texts: SnippetTexts,
    private readonly properties: Properties,
    private readonly clock: Clock,
    base: BasePathSettings,
  ) {
    this.basePath = base.basePaths()[0] ?? '';
  }

  /** Snippets that the user sees. @param types kinds, by comma; default: all */
  async listSnippets(user: UserPrincipal, types?: string): Promise<Snippet[]> {
    const wanted = (types ?? '').split(',').flatMap((type) => type.trim() || []);
    return this.database.read(user, async (db) => {
      const found = await this.rows.listVisible(db, user.userId, wanted.length > 0 ? wanted : null);
      recordCheck(SNIPPET_RIGHTS.read);
      return this.toViews(db, found);
    });
  }

  /** Snippets in the order of their ids; those that the user does not see are left out. */
  async findSnippets(user: UserPrincipal, ids: readonly string[]): Promise<Snippet[]> {
    const numbers = ids.flatMap((id) => parseSnippetId(id) ?? []);
    return this.database.read(user, async (db) => {
      const found = await this.rows.findVisible(db, user.userId, numbers);
      recordCheck(SNIPPET_RIGHTS.read);
      const views = new Map((await this.toViews(db, found)).map((view) => [Number(view.id), view]));
      return numbers.flatMap((id) => views.get(id) ?? []);
    });
  }

  /** @throws SNIPPET-0003 */
  async getSnippet(user: UserPrincipal, id: string): Promise<Snippet> {
    const [found] = await this.findSnippets(user, [id]);
    if (!found) throw SnippetErrors.notFound(id.slice(0, MAX_NAME));
    return found;
  }

  /** Stores a snippet; answers its id. @throws SNIPPET-0008 to SNIPPET-0010, SNIPPET-0012 to SNIPPET-0018, QUOTA-0003 */
  async createSnippet(user: UserPrincipal, input: NewSnippet): Promise<string> {
    const fields = toFields(input, undefined);
    const most = await this.properties.get(MAX_SNIPPETS, user);
    const id = await this.claims.writeWithFiles(
      user,
      () => this.texts.prepareText(user, { content: fields.content, misc: parseFacts(fields) }, []),
      async (tx, text, { nextId, stamp }, references) => {
        const count = most < 0 ? 0 : await this.rows.count(tx, user.userId);
        if (most >= 0 && count >= most) throw QuotaErrors.exceeded('snippets', count, most);
        const row = { ...fields, id: nextId, createdBy: user.userId, revision: stamp, content: text.content };
        await this.rows.insert(tx, row);
        await this.insertPictures(tx, nextId, text.files, references);
        return nextId;
      },
      1,
    );
    return String(id);
  }

  /** Changes a snippet; answers the whole. @throws as {@link createSnippet}, SNIPPET-0003, SNIPPET-0011 */
  async updateSnippet(user: UserPrincipal, id: string, input: SnippetUpdate): Promise<Snippet> {
    const { content, misc } = input;
    await this.claims.writeWithFiles(
      user,
      async () => {
        const before = await this.database.read(user, (db) => this.openOwn(db, user, id));
        const fields = toFields(input, before.row);
        // The facts say whether the text is HTML: it is made safe by the new ones.
        const isNew = (content ?? undefined) !== undefined || misc !== undefined;
        const text = isNew
          ? await this.texts.prepareText(
              user,
              { content: fields.content, misc: parseFacts(fields), snippet: before.row.id },
              before.files,
            )
          : undefined;
        return { before, fields, text, files: text?.files ?? [] };
      },
      async (tx, { before, fields, text, files }, { stamp }, references) => {
        const { row } = await this.openOwn(tx, user, id);
        if (row.revision !== before.row.revision) return undefined;
        await this.rows.update(tx, { ...row, ...fields, revision: stamp, content: text?.content ?? row.content });
        await this.insertPictures(tx, row.id, files, references);
        if (text) await this.removeHiddenPictures(tx, user, before, text, stamp);
        return row.id;
      },
    );
    return this.getSnippet(user, id);
  }

  /** Deletes snippets, all or none. @throws SNIPPET-0003, SNIPPET-0011 */
  async deleteSnippets(user: UserPrincipal, ids: readonly string[]): Promise<void> {
    const released = await this.database.transact(user, async (tx) => {
      const { stamp } = await this.contents.advanceCounters(tx, this.clock.now(), 0);
      recordCheck(SNIPPET_RIGHTS.write);
      const numbers: number[] = [];
      for (const id of ids) numbers.push((await this.openOwn(tx, user, id)).row.id);
      return this.contents.releaseUnused(tx, await this.rows.delete(tx, numbers), stamp);
    });
    await this.stored.abandonContents(user, released);
  }

  /** A snippet that the user sees, with its files. @throws SNIPPET-0003 */
  async openVisible(db: Reader, user: UserPrincipal, id: string): Promise<OpenedSnippet> {
    const number = parseSnippetId(id);
    const [row] = number === undefined ? [] : await this.rows.findVisible(db, user.userId, [number]);
    recordCheck(SNIPPET_RIGHTS.read);
    if (!row) throw SnippetErrors.notFound(id.slice(0, MAX_NAME));
    return { row, files: await this.rows.listFiles(db, [row.id]) };
  }

  /** A snippet of the user, with its files. @throws SNIPPET-0003, SNIPPET-0011 for one that another user shares */
  async openOwn(db: Reader, user: UserPrincipal, id: string): Promise<OpenedSnippet> {
    const opened = await this.openVisible(db, user, id);
    recordCheck(SNIPPET_RIGHTS.write);
    if (opened.row.createdBy !== user.userId) throw SnippetErrors.notOwn(id, user.userId, user.contextId);
    return opened;
  }

  private async insertPictures(
    tx: Transaction,
    snippetId: number,
    files: readonly NewPicture[],
    references: ReadonlyMap<string, string>,
  ): Promise<void> {
    if (files.length === 0) return;
    const rows = files.map(({ id, name, contentType, sizeBytes, sha256 }) => ({
      ...{ snippetId, id, name, contentType, sniffed: contentType, sizeBytes, inline: true },
      reference: references.get(sha256)!,
    }));
    await this.rows.insertFiles(tx, rows);
  }

  private async removeHiddenPictures(
    tx: Transaction,
    user: UserPrincipal,
    { row, files }: OpenedSnippet,
    { shown }: PreparedText,
    stamp: number,
  ): Promise<void> {
    const hidden = files.filter(({ id, inline }) => inline && !shown.has(id)).map(({ id }) => id);
    if (hidden.length === 0) return;
    const references = await this.rows.deleteFiles(tx, row.id, hidden);
    const released = await this.contents.releaseUnused(tx, references, stamp);
    tx.afterCommit(() => void this.stored.abandonContents(user, released));
  }

  private async toViews(db: Reader, found: readonly SnippetRow[]): Promise<Snippet[]> {
    const ids = found.map(({ id }) => id);
    const files = ids.length > 0 ? await this.rows.listFiles(db, ids) : [];
    const bySnippet = new Map<number, SnippetFileRow[]>(ids.map((id) => [id, []]));
    for (const file of files) bySnippet.get(file.snippetId)?.push(file);
    return found.map((row) => this.toView(row, bySnippet.get(row.id) ?? []));
  }

  private toView(row: SnippetRow, files: readonly SnippetFileRow[]): Snippet {
    const known = new Set(files.map(({ id }) => id));
    return {
      id: String(row.id),
      accountid: row.accountId,
      type: row.type,
      module: row.module,
      displayname: row.displayName,
      content: showPictures(row.content, (file) =>
        known.has(file)
          ? `${this.basePath}/image/snippet/image?${new URLSearchParams({ id: String(row.id), uid: file })}`
          : undefined,
      ),
      ...(row.misc === null ? {} : { misc: parseFacts(row) }),
      props: JSON.parse(row.props) as Readonly<Record<string, string>>,
      shared: row.shared,
      createdby: row.createdBy,
      files: files.map(({ id, name, contentType, sizeBytes, inline }) => ({
        ...{ id, filename: name, mimetype: contentType, size: sizeBytes },
        ...(inline ? { contentid: id } : {}),
      })),
    };
  }
}

const parseFacts = ({ misc }: Pick<SnippetRow, 'misc'>): unknown => (misc === null ? undefined : JSON.parse(misc));

const withoutZeros = (text: string): string => text.replaceAll('\u0000', '');

/** Fields of a row; what the input leaves out stays. @throws SNIPPET-0014, SNIPPET-0016 to SNIPPET-0018, SVL-0031 */
function toFields(
  input: SnippetUpdate,
  before: SnippetRow | undefined,
): Omit<SnippetRow, 'id' | 'createdBy' | 'revision'> {
  const { displayname, type, module, content, accountid, shared, misc, props } = input;
  if ((displayname?.length ?? 0) > MAX_NAME) throw SnippetErrors.nameTooLong();
  if ((type?.length ?? 0) > MAX_NAME) throw SnippetErrors.typeTooLong();
  if ((module?.length ?? 0) > MAX_NAME) throw SnippetErrors.moduleTooLong();
  return {
    displayName: withoutZeros(displayname ?? before?.displayName ?? ''),
    type: withoutZeros(type ?? before?.type ?? ''),
    module: withoutZeros(module ?? before?.module ?? ''),
    content: withoutZeros(content ?? before?.content ?? ''),
    accountId: accountid ?? before?.accountId ?? NO_ACCOUNT,
    shared: shared ?? before?.shared ?? false,
    misc: misc === undefined ? (before?.misc ?? null) : toFacts(misc),
    props: props === undefined ? (before?.props ?? '{}') : toJson(toTexts(props)),
  };
}

/** Facts of the client as JSON; old clients send them as the text of an object. @throws SNIPPET-0018, SVL-0031 */
function toFacts(misc: unknown): string | null {
  if (misc === null) return null;
  let facts: unknown = misc;
  if (typeof misc === 'string')
    try {
      facts = JSON.parse(misc) as unknown;
    } catch (cause) {
      throw RequestErrors.badBodyData('misc').with({ cause });
    }
  if (typeof facts !== 'object' || facts === null || Array.isArray(facts)) throw RequestErrors.badBodyData('misc');
  return toJson(facts);
}

/** Texts by their names. @throws SVL-0031 */
function toTexts(props: unknown): Readonly<Record<string, string>> {
  if (props === null) return {};
  const entries = typeof props === 'object' && !Array.isArray(props) ? Object.entries(props) : undefined;
  const texts = entries?.filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  if (!entries || texts?.length !== entries.length) throw RequestErrors.badBodyData('props');
  return Object.fromEntries(texts);
}

/** @throws SNIPPET-0018 */
function toJson(value: unknown): string {
  const text = JSON.stringify(value);
  if (text.length > MAX_FACTS) throw SnippetErrors.fieldsTooLong();
  return text;
}
