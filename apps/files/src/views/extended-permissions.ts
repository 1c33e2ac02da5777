import { Injectable } from '@nestjs/common';
import {
  guests,
  jsonText,
  parseJsonInSlices,
  SHARE_GUEST_HOST,
  shareAddress,
  toGuestEdge,
  toSharedAddress,
  type DirectoryContact,
  type DirectoryEntity,
  type DocumentData,
  type EdgeRequest,
  type GuestToken,
  type JsonText,
  type OwnedPermission,
  type SharedAddress,
  type UserPrincipal,
} from '@groupware/contracts';
import { Directory, listContacts, toContactFacts, toGuestContactFacts } from '@groupware/directory';
import { toGuestContact } from '@groupware/folders';
import { Caller } from '@groupware/messaging';
import type { ZoneOffsets } from '@groupware/recurrence';
import { BasePathSettings, pauseAfterTurn, Properties, toJsonList } from '@groupware/service-kit';
import { SHARED_FILES } from '../domain/document-id';
import { zoneOf } from '../domain/request-zone';
import { findExtendedPermissions } from '../persistence/document.columns';

/** Permissions of documents, each with its number, as statements answer them; null for who must not share the document. */
type Listed = readonly (OwnedPermission & { readonly item: number })[] | null;

/** Columns of an answer, and the zone of its times. */
interface ExtendedQuery {
  readonly columns?: readonly string[];
  readonly timezone?: string | undefined;
}

/** Names and addresses of those with whom documents are shared by themselves. */
@Injectable()
export class ExtendedPermissions {
  constructor(
    private readonly directory: Directory,
    private readonly caller: Caller,
    private readonly base: BasePathSettings,
    private readonly properties: Properties,
  ) {}

  /**
   * Fills the extended permissions in, where rows have them.
   * @param rows JSON of rows
   * @param edge undefined where no addresses are told
   */
  async extendRows(
    user: UserPrincipal,
    rows: string,
    query: ExtendedQuery,
    edge?: EdgeRequest,
  ): Promise<unknown[][] | JsonText> {
    const cells = await this.extendCells(user, rows, query, edge);
    return cells ? toJsonList(cells) : jsonText(rows);
  }

  /** The same as values; undefined where rows have no such permissions. */
  async extendCells(
    user: UserPrincipal,
    rows: string,
    { columns, timezone }: ExtendedQuery,
    edge?: EdgeRequest,
  ): Promise<unknown[][] | undefined> {
    const places = findExtendedPermissions(columns);
    if (places.length === 0) return undefined;
    const bytes = Buffer.from(rows);
    const cells = (await parseJsonInSlices(bytes, { limits: NO_LIMITS, pause: pauseAfterTurn })) as unknown[][];
    const extended = await this.extend(
      user,
      cells.map((row) => row[places[0]!] as Listed),
      { timezone, edge },
    );
    for (const [index, row] of cells.entries()) {
      const turn = pauseAfterTurn();
      if (turn) await turn;
      for (const place of places) row[place] = extended[index];
    }
    return cells;
  }

  /** The same for one document with all its fields. */
  async extendData(
    user: UserPrincipal,
    data: DocumentData,
    { timezone }: ExtendedQuery,
    edge: EdgeRequest | undefined,
  ): Promise<DocumentData> {
    const { extendedObjectPermissions: listed, ...rest } = data;
    if (!listed) return data;
    const [extended] = await this.extend(user, [listed as Listed], { timezone, edge });
    return Object.assign(rest, { [WIRE_NAME]: extended });
  }

  /** Fills the extended permissions of documents in; null stays. */
  private async extend(
    user: UserPrincipal,
    listed: readonly Listed[],
    { timezone, edge }: { readonly timezone: string | undefined; readonly edge: EdgeRequest | undefined },
  ): Promise<(object[] | null)[]> {
    const zone = zoneOf(user, timezone);
    const ids = [...new Set(listed.flatMap((entries) => entries ?? []).map(({ entity }) => entity))];
    const known = ids.length === 0 ? new Map<number, never>() : await this.directory.getEntities(user, ids);
    const users = [...known.values()].flatMap(({ kind, id }) => (kind === 'user' ? [id] : []));
    const contacts = users.length === 0 ? undefined : await listContacts(this.caller, 'files', user, users);
    const tokens = edge ? await this.listTokens(user, [...known.values()]) : new Map<number, GuestToken>();
    const toAddress = (entity: number, item: number): object => {
      const guest = tokens.get(entity);
      return edge && guest ? this.toAddress(edge, guest, item) : {};
    };
    return listed.map(
      (entries) =>
        entries?.map(({ entity, group, bits, item }) => ({
          ...{ entity, bits, group },
          ...this.describeEntity(user, known.get(entity), { group, contact: contacts?.get(entity), zone }),
          ...(group ? {} : toAddress(entity, item)),
        })) ?? null,
    );
  }

  /** Kind, name and contact data of an entity. */
  private describeEntity(
    viewer: UserPrincipal,
    entity: DirectoryEntity | undefined,
    {
      group,
      contact,
      zone,
    }: { readonly group: boolean; readonly contact: DirectoryContact | undefined; readonly zone: ZoneOffsets },
  ): object {
    if (entity?.kind === 'guest') {
      const { anonymous, displayName, email, expires } = entity;
      if (anonymous)
        return { type: 'anonymous', ...(expires === undefined ? {} : { expiry_date: zone.instantToLocal(expires) }) };
      const facts = { type: 'guest', display_name: displayName, email_address: email };
      return { ...facts, contact: toGuestContactFacts(entity), ...toGuestContact(entity, viewer.userId) };
    }
    return {
      type: group ? 'group' : 'user',
      ...(entity && 'displayName' in entity && { display_name: entity.displayName }),
      ...(entity?.kind === 'user' && { contact: toContactFacts(entity, contact, this.base.basePaths()[0] ?? '') }),
    };
  }

  /** Tokens of links, with their pins, and of guests whom the user invited. */
  private async listTokens(
    user: UserPrincipal,
    entities: readonly DirectoryEntity[],
  ): Promise<ReadonlyMap<number, GuestToken>> {
    const ids = entities.filter(({ kind }) => kind === 'guest').map(({ id }) => id);
    if (ids.length === 0) return new Map();
    const principal = { kind: 'internal', service: 'files', contextId: user.contextId, user } as const;
    const tokens = await this.caller.call(guests.tokens, { principal, query: { ids } });
    return new Map(tokens.map((token) => [token.id, token]));
  }

  /** The address by which a guest opens a document. */
  private toAddress(edge: EdgeRequest, { token, password }: GuestToken, item: number): SharedAddress {
    const place = { folder: SHARED_FILES, item };
    const guestEdge = toGuestEdge(edge, this.properties.serverValue(SHARE_GUEST_HOST));
    return toSharedAddress(shareAddress(guestEdge, this.base.basePaths()[0] ?? '', token, place), password);
  }
}

const WIRE_NAME = 'com.openexchange.share.extendedObjectPermissions';
/** Limits of what statements answer: none. */
const NO_LIMITS = { depth: Infinity, values: Infinity, members: Infinity };
