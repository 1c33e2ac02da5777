import { randomUUID } from 'node:crypto';
import {
  filesEvents,
  SHARE_GUEST_HOST,
  toGuestEdge,
  type CatalogueError,
  type EdgeRequest,
  type FileNotification,
  type Reply,
  type UserPrincipal,
  type UserRequest,
} from '@groupware/contracts';
import { inviteGuests } from '@groupware/folders';
import { Caller } from '@groupware/messaging';
import type { Transaction } from '@groupware/persistence';
import { BasePathSettings, Properties } from '@groupware/service-kit';
import { Injectable } from '@nestjs/common';
import type { Document } from '../domain/document';
import { SHARED_FILES } from '../domain/document-id';
import type { DocumentFields } from '../domain/document-input';
import type { WrittenResult } from './written-document';
import { toWrittenReply } from './written-reply';

/** A request over the edge. */
interface NoticeRequest extends UserRequest {
  readonly edge?: EdgeRequest;
  readonly idempotencyKey?: string;
}

/** Tells those with whom a document is shared by itself: users and groups by an event, guests by mails with their address. */
@Injectable()
export class DocumentNotices {
  constructor(
    private readonly caller: Caller,
    private readonly base: BasePathSettings,
    private readonly properties: Properties,
  ) {}

  /** Lets users and members of groups be told, together with the write. */
  async publishNotice(
    tx: Transaction,
    { userId }: UserPrincipal,
    document: Document,
    entities: readonly number[],
    { message }: FileNotification,
  ): Promise<void> {
    if (entities.length === 0) return;
    await tx.publish(filesEvents['document.shared'], {
      id: document.id,
      title: titleOf(document),
      userId,
      entities,
      ...(message && { message }),
    });
  }

  /** Invites the guests among entities; warnings about those who are not told. */
  async inviteGuests(
    { principal: user, edge, deadline, requestId, signal, idempotencyKey }: NoticeRequest,
    document: Document,
    entities: readonly number[],
    { message }: FileNotification,
  ): Promise<CatalogueError[]> {
    if (entities.length === 0 || !edge) return [];
    const principal = { kind: 'internal', service: 'files', contextId: user.contextId, user } as const;
    return inviteGuests(this.caller, { principal, deadline, requestId, signal }, entities, {
      ...{
        user,
        edge: toGuestEdge(edge, this.properties.serverValue(SHARE_GUEST_HOST)),
        basePath: this.base.basePaths()[0] ?? '',
      },
      place: { folder: SHARED_FILES, item: document.id },
      ...{ key: idempotencyKey ?? randomUUID(), message },
      getShare: () => Promise.resolve({ title: titleOf(document), shared: 'document' as const }),
    });
  }

  /** The answer of a write, after the guests that it shares with are invited where its body says so. */
  async toReply(
    request: NoticeRequest,
    written: WrittenResult,
    { notification }: DocumentFields,
    isExtended: boolean | undefined,
  ): Promise<Reply<string | object>> {
    const { document, newEntities } = written;
    const warnings = notification ? await this.inviteGuests(request, document, newEntities, notification) : [];
    return toWrittenReply(written, isExtended, warnings);
  }
}

const titleOf = ({ current: { title, filename } }: Document): string => title ?? filename ?? '';
