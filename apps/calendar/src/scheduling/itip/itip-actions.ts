import { Injectable } from '@nestjs/common';
import {
  EventChangeQuery,
  EventData,
  ItipErrors,
  toEventFolderId,
  type ItipBody,
  type ItipQuery,
  type UserPrincipal,
} from '@groupware/contracts';
import { ModuleDatabase, type Transaction } from '@groupware/persistence';
import { type Appointment, isException } from '../../domain/appointment';
import { EventReader } from '../../events/event-reader';
import { EventResults } from '../../events/event-results';
import { EventUpdater } from '../../events/event-updater';
import { SchedulingOutbox } from '../outgoing/scheduling-outbox';
import { findRequester } from './attendee-requests';
import { ItipAnalyzer } from './itip-analyzer';
import { ItipDecisions, type ItipDecision, type ItipOutcome, type ItipResult } from './itip-decisions';
import { ItipMessages } from './itip-messages';

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

/** Does with scheduling messages what users decide. */
@Injectable()
export class ItipActions {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly messages: ItipMessages,
    private readonly decisions: ItipDecisions,
    private readonly analyzer: ItipAnalyzer,
    private readonly reader: EventReader,
    private readonly outbox: SchedulingOutbox,
    private readonly updater: EventUpdater,
    private readonly results: EventResults,
  ) {}

  /** The events that were changed, created or deleted. ITIP-0102 where a message cannot be applied so. */
  async act(
    user: UserPrincipal,
    query: ItipQuery,
    body: ItipBody,
    kind: keyof typeof METHODS,
    decision: Omit<ItipDecision, 'comment'> = {},
  ): Promise<EventData[]> {
    const request = await this.reader.prepare(user, query);
    const message = await this.messages.loadMessage(user, query, body);
    if (!METHODS[kind].has(message.method)) throw ItipErrors.notApplicable(message.method);
    const groups = await this.decisions.prepare(user, message);
    const comment = body.message ?? undefined;
    const outcomes = await this.database.transact(user, async (tx) => {
      const done: ItipOutcome[] = [];
      for (const group of groups) {
        const applied = await this.decisions.apply(tx, user, group, { ...decision, comment });
        const refused = applied.find(({ result }) => !DONE.has(result));
        if (refused) throw ItipErrors.notApplicable(refused.result);
        if (decision.addsSender) await this.tellOthers(tx, user, applied);
        if (kind === 'proposal' || kind === 'refresh')
          for (const each of applied)
            await this.answerRequest(tx, user, kind, { ...each, sender: message.sender, comment });
        done.push(...applied);
      }
      return done;
    });
    if (kind === 'update' && message.method === 'COUNTER') return this.takeProposals(user, query, outcomes, comment);
    const events: EventData[] = [];
    for (const { current, next, before, after } of outcomes) {
      const shown: Appointment | undefined = next ?? current;
      const event = shown && (await this.analyzer.showEvent(request, shown, next ? after : before));
      if (event) events.push(event);
    }
    return events;
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
      const { created, changed } = outcome.changes;
      const after = [...created, ...changed.map((each) => each.after)];
      const event = after[0] && (await this.analyzer.showEvent(request, after[0], after));
      if (event) events.push(event);
    }
    return events;
  }

  /** Tells all attendees elsewhere who takes part now. */
  private tellOthers(tx: Transaction, user: UserPrincipal, outcomes: readonly ItipOutcome[]): Promise<void> {
    const changed = outcomes.flatMap(({ current, next }) =>
      current && next && current.id === next.id ? [{ before: current, after: next }] : [],
    );
    return this.outbox.announce(tx, user, { changed }, { scope: 'all' });
  }
}
