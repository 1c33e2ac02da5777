import { Injectable } from '@nestjs/common';
import {
  guests,
  jsonText,
  parseJsonInSlices,
  shareAddress,
  toSharedAddress,
  type DirectoryContact,
  type DirectoryEntity,
  type DocumentData,
  type EdgeRequest,
  type JsonText,
  type OwnedPermission,
  type SharedAddress,
  type UserPrincipal,
} from '@groupware/contracts';
import { Directory, listContacts, toContactFacts } from '@groupware/directory';
import { toGuestContact } from '@groupware/folders';
import { Caller } from '@groupware/messaging';
import { BasePathSettings, pauseAfterTurn, toJsonList } from '@groupware/service-kit';
import { SHARED_FILES } from '../domain/document-id';
import { findExtendedPermissions } from '../persistence/document.columns';

/** Permissions of documents as statements answer them; null for who must not share the document. */
type Listed = readonly OwnedPermission[] | null;

/** Names and addresses of those with whom documents are shared by themselves. */
@Injectable()
export class ExtendedPermissions {
  constructor(
    private readonly directory: Directory,
    private readonly caller: Caller,
    private readonly base: BasePathSettings,
  ) {}

  /**
   * Fills the extended permissions in, where rows have them.
   * @param rows JSON of rows
   * @param edge undefined where no addresses are told
   */
  async extendRows(
    user: UserPrincipal,
    rows: string,
    columns: readonly string[] | undefined,
    edge?: EdgeRequest,
  ): Promise<unknown[][] | JsonText> {
    const cells = await this.extendCells(user, rows, columns, edge);
    return cells ? toJsonList(cells) : jsonText(rows);
  }

  /** The same as values; undefined where rows have no such permissions. */
  async extendCells(
    user: UserPrincipal,
    rows: string,
    columns: readonly string[] | undefined,
    edge?: EdgeRequest,
  ): Promise<unknown[][] | undefined> {
    const places = findExtendedPermissions(columns);
    if (places.length === 0) return undefined;
    const bytes = Buffer.from(rows);
    const cells = (await parseJsonInSlices(bytes, { limits: NO_LIMITS, pause: pauseAfterTurn })) as unknown[][];
    const extended = await this.extend(
      user,
      cells.map((row) => row[places[0]!] as Listed),
      edge,
    );
    for (const [index, row] of cells.entries()) {
      const turn = pauseAfterTurn();
      if (turn) await turn;
      for (const place of places) row[place] = extended[index];
    }
    return cells;
  }

  /** The same for one document with all its fields. */
  async extendData(user: UserPrincipal, data: DocumentData, edge: EdgeRequest | undefined): Promise<DocumentData> {
    const { extendedObjectPermissions: listed, ...rest } = data;
    if (!listed) return data;
    const [extended] = await this.extend(user, [listed as Listed], edge);
    return Object.assign(rest, { [WIRE_NAME]: extended });
  }

  /** Fills the extended permissions of documents in; null stays. */
  async extend(user: UserPrincipal, listed: readonly Listed[], edge?: EdgeRequest): Promise<(object[] | null)[]> {
    const ids = [...new Set(listed.flatMap((entries) => entries ?? []).map(({ entity }) => entity))];
    const known = ids.length === 0 ? new Map<number, never>() : await this.directory.getEntities(user, ids);
    const users = [...known.values()].flatMap(({ kind, id }) => (kind === 'user' ? [id] : []));
    const contacts = users.length === 0 ? undefined : await listContacts(this.caller, 'files', user, users);
    const addresses = edge
      ? await this.listAddresses(user, [...known.values()], edge)
      : new Map<number, SharedAddress>();
    return listed.map(
      (entries) =>
        entries?.map(({ entity, group, bits }) => ({
          ...{ entity, bits, group, ...this.describeEntity(user, known.get(entity), group, contacts?.get(entity)) },
          ...(group ? {} : addresses.get(entity)),
        })) ?? null,
    );
  }

  /** Kind, name and contact data of an entity. */
  private describeEntity(
    viewer: UserPrincipal,
    entity: DirectoryEntity | undefined,
    group: boolean,
    contact: DirectoryContact | undefined,
  ): object {
    if (entity?.kind === 'guest') {
      const { anonymous, displayName, email, expires } = entity;
      if (anonymous) return { type: 'anonymous', ...(expires === undefined ? {} : { expiry_date: expires }) };
      const facts = { type: 'guest', display_name: displayName, email_address: email, contact: { email1: email } };
      return { ...facts, ...toGuestContact(entity, viewer.userId) };
    }
    return {
      type: group ? 'group' : 'user',
      ...(entity && 'displayName' in entity && { display_name: entity.displayName }),
      ...(entity?.kind === 'user' && { contact: toContactFacts(entity, contact, this.base.basePaths()[0] ?? '') }),
    };
  }

  /** Addresses of links, with their pins, and of guests whom the user invited. */
  private async listAddresses(
    user: UserPrincipal,
    entities: readonly DirectoryEntity[],
    edge: EdgeRequest,
  ): Promise<ReadonlyMap<number, SharedAddress>> {
    const ids = entities.filter(({ kind }) => kind === 'guest').map(({ id }) => id);
    if (ids.length === 0) return new Map();
    const principal = { kind: 'internal', service: 'files', contextId: user.contextId, user } as const;
    const tokens = await this.caller.call(guests.tokens, { principal, query: { ids } });
    const place = { folder: SHARED_FILES };
    const basePath = this.base.basePaths()[0] ?? '';
    return new Map(
      tokens.map(({ id, token, password }) => [
        id,
        toSharedAddress(shareAddress(edge, basePath, token, place), password),
      ]),
    );
  }
}

const WIRE_NAME = 'com.openexchange.share.extendedObjectPermissions';
/** Limits of what statements answer: none. */
const NO_LIMITS = { depth: Infinity, values: Infinity, members: Infinity };
