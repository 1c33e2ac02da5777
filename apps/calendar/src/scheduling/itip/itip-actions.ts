import { Injectable } from '@nestjs/common';
import {
  AppointmentErrors,
  CalendarErrors,
  EventChangeQuery,
  EventData,
  isCatalogueError,
  ItipErrors,
  RequestErrors,
  toEventFolderId,
  type CalendarAddress,
  type EventProposal,
  type ItipBody,
  type ItipDelegationBody,
  type ItipQuery,
  type UserPrincipal,
} from '@groupware/contracts';
import { ModuleDatabase, type Transaction } from '@groupware/persistence';
import { Directory } from '@groupware/directory';
import { FileCopies } from '../../appointments/file-copies';
import { UserDefaultAlarms } from '../../alarms/user-default-alarms';
import { type Appointment, CONFIRM, findAttendee, isException } from '../../domain/appointment';
import { applyEventContent } from '../../events/event-input';
import { mailOf } from '../../events/event-people';
import { EventReader, type EventRequest } from '../../events/event-reader';
import { EventResults } from '../../events/event-results';
import { EventUpdater } from '../../events/event-updater';
import { toMailAddress } from '../calendar-address';
import { type EventWithFiles, InvitedFiles } from '../invited-files';
import { SchedulingOutbox } from '../outgoing/scheduling-outbox';
import { findRequester } from './attendee-requests';
import { ItipAnalyzer } from './itip-analyzer';
import { isInviting, ItipDecisions, type ItipDecision, type ItipOutcome, type ItipResult } from './itip-decisions';
import { type ItipMessage, ItipMessages } from './itip-messages';

/** Methods that an action takes. */
const METHODS = {
  invitation: new Set(['REQUEST', 'PUBLISH', 'ADD']),
  update: new Set(['REQUEST', 'PUBLISH', 'ADD', 'REPLY', 'COUNTER']),
  reply: new Set(['REPLY']),
  cancellation: new Set(['CANCEL']),
  proposal: new Set(['COUNTER']),
  refresh: new Set(['REFRESH']),
} as const;
/** Fields of an event that attendees may propose to change. */
const PROPOSED = ['startDate', 'endDate', 'summary', 'location', 'description'] as const;
const DONE: ReadonlySet<ItipResult> = new Set<ItipResult>(['applied', 'repeated']);

/** Decision of a user; with a proposal the organizer is told of it. */
type ActionDecision = Omit<ItipDecision, 'comment' | 'alarms'> & { readonly proposal?: EventProposal };

/** A message on which a user decided, with its files. */
interface ReceivedMessage {
  readonly query: ItipQuery;
  readonly request: EventRequest;
  readonly body: ItipBody;
  readonly kind: keyof typeof METHODS;
  readonly message: ItipMessage;
  /** Of its events in their order; empty where it does not invite. */
  readonly kept: readonly EventWithFiles[];
}

const NO_FILES = { files: [], isComplete: false } as const;

/** Does with scheduling messages what users decide. */
@Injectable()
export class ItipActions {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly copies: FileCopies,
    private readonly messages: ItipMessages,
    private readonly decisions: ItipDecisions,
    private readonly analyzer: ItipAnalyzer,
    private readonly reader: EventReader,
    private readonly outbox: SchedulingOutbox,
    private readonly updater: EventUpdater,
    private readonly results: EventResults,
    private readonly directory: Directory,
    private readonly defaultAlarms: UserDefaultAlarms,
    private readonly files: InvitedFiles,
  ) {}

  /** The events that were changed, created or deleted. ITIP-0102 where a message cannot be applied so. */
  async act(
    user: UserPrincipal,
    query: ItipQuery,
    body: ItipBody,
    kind: keyof typeof METHODS,
    decision: ActionDecision = {},
  ): Promise<EventData[]> {
    const request = await this.reader.prepare(user, query);
    const received = await this.messages.loadMessage(user, query, body);
    if (!METHODS[kind].has(received.method)) throw ItipErrors.notApplicable(received.method);
    const kept = isInviting(received.method) ? await this.files.keep(user, received.groups.flat(), received.mail) : [];
    try {
      const message = kept.length > 0 ? { ...received, groups: regroup(received.groups, kept) } : received;
      return await this.apply(user, { query, request, body, kind, message, kept }, decision);
    } finally {
      await this.files.discard(kept);
    }
  }

  private async apply(
    user: UserPrincipal,
    { query, request, body, kind, message, kept }: ReceivedMessage,
    decision: ActionDecision,
  ): Promise<EventData[]> {
    const groups = await this.decisions.prepare(user, message);
    const comment = body.message ?? undefined;
    const { proposal, ...answer } = decision;
    const takesPart = decision.confirm === CONFIRM.accepted || decision.confirm === CONFIRM.tentative;
    const alarms = takesPart ? await this.defaultAlarms.load(user) : undefined;
    const outcomes = await this.transact(user, async (tx) => {
      const done: ItipOutcome[] = [];
      for (const group of groups) {
        const applied = await this.decisions.apply(tx, user, group, { ...answer, comment, alarms });
        const refused = applied.find(({ result }) => !DONE.has(result));
        if (refused) throw ItipErrors.notApplicable(refused.result);
        const isAnswer = kind === 'update' && message.method === 'REPLY';
        if (decision.addsSender || isAnswer) await this.tellOthers(tx, user, applied, isAnswer);
        if (kind === 'proposal' || kind === 'refresh')
          for (const each of applied)
            await this.answerRequest(tx, user, kind, { ...each, sender: message.sender, comment });
        if (decision.delegate) await this.inviteDelegate(tx, user, applied, decision.delegate, comment);
        done.push(...applied);
      }
      if (proposal) await this.sendProposal(tx, user, done[0]!, proposal, comment);
      return done;
    });
    if (kind === 'update' && message.method === 'COUNTER') return this.takeProposals(user, query, outcomes, comment);
    const events: EventData[] = [];
    // Exceptions and parts of series got their files after they were stored.
    const mayHaveCopies = ({ next, before }: ItipOutcome): boolean =>
      next?.attachments === 0 && before.some(({ attachments }) => attachments > 0);
    const invited = outcomes.map((outcome, index) => ({ ...outcome, ...(kept[index] ?? NO_FILES) }));
    const withFiles = await this.files.storeFiles(user, kept.length > 0 ? invited : []);
    const copied = outcomes.filter(mayHaveCopies).map(({ next }) => next!.id);
    const now = await this.copies.listByIds(user, [...new Set([...copied, ...withFiles])]);
    for (const { current, next, before, after } of outcomes) {
      const shown: Appointment | undefined = next ? (now.get(next.id) ?? next) : current;
      const event = shown && (await this.analyzer.showEvent(request, shown, next ? after : before));
      if (event) events.push(event);
    }
    return events;
  }

  /** Takes an invitation over and delegates it. CAL-4034 for a delegate without address, and for the user himself. */
  async delegate(user: UserPrincipal, query: ItipQuery, body: ItipDelegationBody): Promise<EventData[]> {
    const { entity, uri, email, cn } = body.attendee;
    const known = entity ? (await this.directory.getEntities(user, [entity])).get(entity) : undefined;
    const mail = known?.kind === 'user' ? known.email : entity ? undefined : (mailOf(uri ?? '') ?? email?.trim());
    const isSelf = mail?.toLowerCase() === user.email.toLowerCase();
    if (!mail || isSelf || !/^[^@\s]+@[^@\s]+$/.test(mail))
      throw CalendarErrors.badCalendarUser(uri ?? email ?? '', entity ?? '', 'INDIVIDUAL');
    const name = known?.displayName ?? cn;
    const delegate = { address: mail, ...(name && { name }) };
    return this.act(user, query, body, 'invitation', { confirm: CONFIRM.none, delegate });
  }

  /** Invites a delegate to all that the user delegated. */
  private async inviteDelegate(
    tx: Transaction,
    user: UserPrincipal,
    outcomes: readonly ItipOutcome[],
    delegate: CalendarAddress,
    comment: string | undefined,
  ): Promise<void> {
    const stored = [...new Map(outcomes.flatMap(({ next }) => (next ? [[next.id, next] as const] : []))).values()];
    const attendee = stored[0] && findAttendee(stored[0], user.userId);
    if (attendee) await this.outbox.inviteDelegate(tx, user, { stored, attendee, delegate }, comment);
  }

  /** Tells the organizer of an invitation what the user would rather have. SVL-0002 when that is nothing. */
  private async sendProposal(
    tx: Transaction,
    user: UserPrincipal,
    { next, after }: ItipOutcome,
    proposal: EventProposal,
    comment: string | undefined,
  ): Promise<void> {
    const attendee = next && findAttendee(next, user.userId);
    if (!next || !attendee) throw ItipErrors.notApplicable('notInvited');
    if (PROPOSED.every((name) => proposal[name] == null)) throw RequestErrors.missingParameter('event');
    const subject = { ...next, ...applyEventContent(next, proposal, user.timeZone) };
    const master = isException(next) ? after.find((each) => !isException(each)) : undefined;
    await this.outbox.propose(tx, user, { subject, master }, attendee, comment);
  }

  /** Answers an attendee who proposed a change that is not wanted, or who asked for the event as it is now. */
  private answerRequest(
    tx: Transaction,
    user: UserPrincipal,
    kind: 'proposal' | 'refresh',
    { event, current, before, sender, comment }: ItipOutcome & { readonly sender?: string; readonly comment?: string },
  ): Promise<void> {
    const requester = findRequester(event, sender, current!)!;
    if (kind === 'refresh') return this.outbox.sendAgain(tx, user, before, requester, comment);
    const master = isException(current!) ? before.find((each) => !isException(each)) : undefined;
    return this.outbox.declineProposal(tx, user, { subject: current!, master }, requester, comment);
  }

  /** Changes events as their attendees proposed it; all attendees are told, as of any change. */
  private async takeProposals(
    user: UserPrincipal,
    query: ItipQuery,
    outcomes: readonly ItipOutcome[],
    comment: string | undefined,
  ): Promise<EventData[]> {
    const request = await this.results.prepare(user, query);
    const events: EventData[] = [];
    for (const { current, next, before } of outcomes) {
      const proposed = (await this.analyzer.showEvent(request, next!, before))!;
      const body = Object.assign(new EventData(), Object.fromEntries(PROPOSED.map((name) => [name, proposed[name]])));
      const master = before.find((each) => !isException(each));
      const isStored = current!.id !== 0;
      const change = Object.assign(new EventChangeQuery(), {
        id: String(isStored ? current!.id : master!.id),
        folder: toEventFolderId(current!.folderId),
        timestamp: Number.MAX_SAFE_INTEGER,
        ...(!isStored && { recurrenceId: proposed.recurrenceId }),
      });
      const outcome = await this.updater.updateEvent(user, { query: change, body, comment }, request);
      if (!('changes' in outcome)) throw ItipErrors.notApplicable('conflicts');
      const { created, changed } = await this.copies.refreshCreated(user, outcome.changes);
      const after = [...created, ...changed.map((each) => each.after)];
      const event = after[0] && (await this.analyzer.showEvent(request, after[0], after));
      if (event) events.push(event);
    }
    return events;
  }

  /** Tells the attendees who takes part now, or what one of them answered, in the series and its exceptions. */
  private tellOthers(
    tx: Transaction,
    user: UserPrincipal,
    outcomes: readonly ItipOutcome[],
    isAnswer: boolean,
  ): Promise<void> {
    const known = new Map(outcomes[0]?.before.map((each) => [each.id, each]));
    const stored = outcomes.at(-1)?.after ?? [];
    const created = stored.filter(({ id }) => !known.has(id));
    const changed = stored.flatMap((after) => {
      const before = known.get(after.id);
      return before && before.lastModified !== after.lastModified ? [{ before, after }] : [];
    });
    const answerOf = isAnswer ? toMailAddress(outcomes[0]?.event.attendees[0]?.uri).toLowerCase() : undefined;
    return this.outbox.announce(tx, user, { created, changed }, { scope: 'all', answerOf });
  }

  /** Runs a transaction once more where the same event was stored meanwhile: it is known then. */
  private async transact<T>(user: UserPrincipal, work: (tx: Transaction) => Promise<T>): Promise<T> {
    try {
      return await this.database.transact(user, work);
    } catch (error) {
      if (!isCatalogueError(error, AppointmentErrors.uidTaken)) throw error;
      return this.database.transact(user, work);
    }
  }
}

/** Events whose files were written to the file store, in the groups of the message. */
function regroup(groups: ItipMessage['groups'], kept: readonly EventWithFiles[]): ItipMessage['groups'] {
  let at = 0;
  return groups.map((events) => events.map(() => kept[at++]!.event));
}
