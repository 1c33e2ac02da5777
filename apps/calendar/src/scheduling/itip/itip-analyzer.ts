import { Injectable } from '@nestjs/common';
import {
  CatalogueError,
  formatMessage,
  formatPeriod,
  localText,
  type EventConflict,
  type EventData,
  type ItipAnalysis,
  type ItipAnnotation,
  type ItipChange,
  type ItipAnalysisQuery,
  type TextKey,
  type UserPrincipal,
} from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import { RecurrenceError, resolveTimeZone } from '@groupware/recurrence';
import { ConflictCheck, type KnownVisibility } from '../../conflicts/conflict-check';
import type { Appointment } from '../../domain/appointment';
import { isRescheduled } from '../../domain/reschedule';
import { toSeenEvent } from '../../events/event-finder';
import { EventReader, type EventRequest } from '../../events/event-reader';
import { EventResults } from '../../events/event-results';
import { toMailAddress } from '../calendar-address';
import { findOrganizer } from '../outgoing/outgoing-event';
import { findRequester, isAttendeeMethod } from './attendee-requests';
import { isInviting, ItipDecisions, type ItipOutcome, type PreparedGroup } from './itip-decisions';
import { ItipMessages } from './itip-messages';

/** Ends a trial: nothing of it is stored. */
class TrialOver extends Error {
  constructor(readonly trial: Trial) {
    super('the trial is over');
  }
}

interface Trial {
  readonly outcomes: readonly ItipOutcome[];
  readonly conflicts: readonly EventConflict[];
  readonly isKnownSender: boolean;
}

type Translate = (key: TextKey, ...params: string[]) => string;

/** Introductions of messages that attendees send to an organizer. */
const INTRODUCTIONS: Readonly<Record<string, TextKey>> = { REPLY: 'itip.replied', COUNTER: 'itip.countered' };
/** Actions of an attendee for an invitation, besides accepting it. */
const ANSWERS = ['decline', 'tentative', 'delegate', 'counter'] as const;
const REFUSED: Trial = { outcomes: [], conflicts: [], isKnownSender: true };

/** Tells what scheduling messages would change, by applying them in transactions that are undone. */
@Injectable()
export class ItipAnalyzer {
  constructor(
    private readonly messages: ItipMessages,
    private readonly decisions: ItipDecisions,
    private readonly conflicts: ConflictCheck,
    private readonly reader: EventReader,
    private readonly results: EventResults,
  ) {}

  /** One analysis for each unique id. */
  async analyze(
    user: UserPrincipal,
    query: ItipAnalysisQuery,
    body: Parameters<ItipMessages['loadMessage']>[2],
  ): Promise<ItipAnalysis[]> {
    const request = await this.reader.prepare(user, query);
    const message = await this.messages.loadMessage(user, query, body);
    const isHtml = query.descriptionFormat !== 'plain';
    const analyses: ItipAnalysis[] = [];
    for (const group of await this.decisions.prepare(user, message)) {
      const trial = await this.tryOut(request, group);
      analyses.push(await this.describe(request, group, trial, isHtml));
    }
    return analyses;
  }

  /** Tries a message out and answers what would become of it. */
  private async tryOut(request: EventRequest, group: PreparedGroup): Promise<Trial> {
    const { user } = request;
    try {
      const limits = await this.conflicts.getLimits(user);
      return await this.conflicts.transact(user, async (tx, visibility): Promise<never> => {
        const { method, sender } = group.message;
        const isKnownSender = sender === undefined || (await this.decisions.isKnownSender(tx, user, sender));
        const outcomes = await this.tryDecision(tx, user, group);
        const conflicts = await this.findConflicts(tx, request, method, outcomes, { limits, visibility });
        throw new TrialOver({ outcomes, conflicts, isKnownSender });
      });
    } catch (error) {
      if (error instanceof TrialOver) return error.trial;
      if (error instanceof CatalogueError || error instanceof RecurrenceError) return REFUSED;
      throw error;
    }
  }

  /** Changes that the message makes by itself; those of an uninvited person's reply, as if that person were let in. */
  private async tryDecision(tx: Transaction, user: UserPrincipal, group: PreparedGroup): Promise<ItipOutcome[]> {
    const outcomes = await this.decisions.apply(tx, user, group, { addsSender: false });
    if (group.message.method !== 'REPLY' || !outcomes.some(({ result }) => result === 'notInvited')) return outcomes;
    const admitted = await this.decisions.apply(tx, user, group, { addsSender: true });
    return outcomes.map((outcome, at) =>
      outcome.result === 'notInvited' ? { ...admitted[at]!, result: 'notInvited' } : outcome,
    );
  }

  private async findConflicts(
    tx: Transaction,
    request: EventRequest,
    method: string,
    outcomes: readonly ItipOutcome[],
    { limits, visibility }: { limits: Awaited<ReturnType<ConflictCheck['getLimits']>>; visibility: KnownVisibility },
  ): Promise<readonly EventConflict[]> {
    const { user } = request;
    // An organizer is told what is in the way when he takes a proposal over.
    if (isAttendeeMethod(method)) return [];
    const moved = outcomes.flatMap(({ result, current, next }) =>
      result === 'applied' && next && (!current || isRescheduled(current, next)) ? [next] : [],
    );
    if (moved.length === 0) return [];
    const floatingZone = resolveTimeZone(user.timeZone);
    const question = { appointments: moved, ignoreSoft: false, limits, visibility, floatingZone };
    const found = await this.conflicts.findConflicts(tx, user, question);
    return (await this.results.toConflicts({ ...request, range: undefined }, found)).conflicts ?? [];
  }

  private async describe(
    request: EventRequest,
    { message, events }: PreparedGroup,
    { outcomes, conflicts, isKnownSender }: Trial,
    isHtml: boolean,
  ): Promise<ItipAnalysis> {
    const { method, sender } = message;
    const translate: Translate = (key, ...params) => formatMessage(localText(key, request.user.locale), params);
    const [{ event, localOrganizer }] = events as [PreparedGroup['events'][number]];
    const changes: ItipChange[] = [];
    const actions = new Set<string>();
    const annotations: ItipAnnotation[] = [];
    const annotate = (key: TextKey, ...params: string[]): void => {
      const text = translate(key, ...params);
      if (!annotations.some((known) => known.message === text)) annotations.push({ message: text });
    };
    const organizer = toMailAddress(event.organizer?.uri);
    if (outcomes.length === 0) {
      annotate('itip.refused');
      if (!isInviting(method)) actions.add('ignore');
    }
    const stored = new Set(outcomes[0]?.before.map(({ id }) => String(id)));
    for (const outcome of outcomes) {
      const { result, current, next } = outcome;
      const change = await this.toChange(request, method, outcome, { translate, isHtml, stored });
      const isKnown = method !== 'CANCEL' && (result === 'repeated' || result === 'stale');
      const isCrasher = method === 'REPLY' && result === 'notInvited';
      if (result === 'applied' || isKnown || isCrasher) changes.push(...(change ? [change] : []));
      switch (result) {
        case 'applied':
          for (const action of listActions(method, outcome, conflicts.length > 0)) actions.add(action);
          if (method === 'REFRESH') annotate('itip.refresh', findRequester(event, sender, current!)?.mail ?? '');
          break;
        case 'repeated':
          for (const action of method === 'REPLY' || method === 'CANCEL' ? ['ignore'] : ['accept', ...ANSWERS])
            actions.add(action);
          annotate('itip.applied');
          break;
        case 'notInvited':
          if (!isCrasher) {
            if (method === 'CANCEL') actions.add('ignore');
            annotate('itip.refused');
          } else {
            actions.add('accept_party_crasher');
            annotate('itip.partyCrasher', toMailAddress(outcome.event.attendees[0]?.uri));
          }
          break;
        case 'stale':
          actions.add('ignore');
          annotate('itip.stale');
          break;
        case 'spoofed':
          actions.add('ignore');
          annotate('itip.spoofed', sender ?? '', organizer);
          break;
        case 'otherOrganizer':
          actions.add('ignore');
          if (!outcome.before[0]) annotate('itip.foreignOrganizer', organizer);
          else annotate('itip.otherOrganizer', findOrganizer(outcome.before[0]).address, organizer);
          break;
        case 'unknownSender':
          actions.add('ignore');
          annotate('itip.spoofedReply', sender ?? '', toMailAddress(outcome.event.attendees[0]?.uri));
          break;
        case 'counterDeclined':
          actions.add('ignore');
          annotate('itip.counterDeclined', organizer);
          break;
        case 'internalOrganizer':
          if (localOrganizer?.kind === 'user' && localOrganizer.id === request.user.userId)
            annotate('itip.ownOrganizer');
          else annotate('itip.internal', organizer);
          break;
        case 'notOrganizer':
          actions.add('ignore');
          annotate('itip.notOrganizer');
          break;
        case 'unknownAppointment':
          if (method !== 'REPLY' && !isInviting(method)) actions.add('ignore');
          annotate('itip.unknown');
          break;
        default:
          actions.add('ignore');
          annotate('itip.refused');
      }
      if (method !== 'REPLY' && !isAttendeeMethod(method) && result === 'applied' && sender && !current && next) {
        if (sender.toLowerCase() !== organizer.toLowerCase()) annotate('itip.forwarded', sender, organizer);
        else if (!isKnownSender) annotate('itip.unknownSender', sender);
      }
    }
    if (conflicts.length > 0 && changes[0]) changes[0].conflicts = [...conflicts];
    return {
      uid: event.uid,
      ...(annotations.length > 0 && { annotations }),
      ...(changes.length > 0 && { changes }),
      ...(actions.size > 0 && { actions: [...actions] }),
    };
  }

  private async toChange(
    request: EventRequest,
    method: string,
    { event, before, after, current, next }: ItipOutcome,
    {
      translate,
      isHtml,
      stored,
    }: { readonly translate: Translate; readonly isHtml: boolean; readonly stored: ReadonlySet<string> },
  ): Promise<ItipChange | undefined> {
    const exception = event.recurrenceId !== undefined;
    const show = async (row: Appointment | undefined, family: readonly Appointment[]): Promise<EventData | undefined> =>
      row && (await this.showEvent(request, row, family));
    const master = exception ? (after.find(isMain) ?? before.find(isMain)) : undefined;
    const masterEvent = await show(master, after);
    const summary = (next ?? current)?.title ?? event.summary ?? '';
    const common = { exception, ...(masterEvent && { masterEvent: withStoredIds(masterEvent, stored) }) };
    if (method === 'REFRESH') return undefined;
    if (method === 'CANCEL') {
      const deletedEvent = await show(current, before);
      if (!deletedEvent) return undefined;
      const introduction = translate('itip.cancelled', summary);
      return { introduction, type: exception ? 'create_delete_exception' : 'delete', ...common, deletedEvent };
    }
    const [currentEvent, newEvent] = [await show(current, before), await show(next, after)];
    if (!newEvent && !currentEvent) return undefined;
    const isStored = current !== undefined && current.id !== 0;
    const period = ({ startMs, endMs, fullTime, floating }: Appointment): string =>
      formatPeriod(
        { startMs, endMs, wholeDays: fullTime, ...(!floating && { timeZone: request.zone.timeZone }) },
        request.user.locale,
      );
    const diffDescription = current && next ? describeDifferences(current, next, { translate, isHtml, period }) : [];
    return {
      introduction: translate(
        INTRODUCTIONS[method] ?? (isStored ? 'itip.changed' : 'itip.invited'),
        toMailAddress(INTRODUCTIONS[method] ? event.attendees[0]?.uri : event.organizer?.uri),
        summary,
      ),
      type: isStored ? 'update' : 'create',
      ...common,
      ...(newEvent && { newEvent: withStoredIds(newEvent, stored) }),
      ...(isStored && currentEvent && { currentEvent }),
      ...(diffDescription.length > 0 && { diffDescription }),
    };
  }

  /** An event as its owner sees it; an occurrence that is no event of its own has the id of its series. */
  async showEvent(
    request: EventRequest,
    appointment: Appointment,
    family: readonly Appointment[],
  ): Promise<EventData | undefined> {
    const folder = { id: appointment.folderId, calendarUser: appointment.owner };
    const known = { byId: new Map(family.map((each) => [each.id, each])), exceptions: new Map() };
    const [event] = await this.reader.toEvents(request, [{ event: toSeenEvent(appointment, folder, false, known) }]);
    return event && appointment.id === 0 ? { ...event, id: event.seriesId } : event;
  }
}

/** An event without the ids that rows had for the trial only. */
const withStoredIds = (event: EventData, stored: ReadonlySet<string>): EventData => ({
  ...event,
  id: event.id !== undefined && stored.has(event.id) ? event.id : undefined,
  seriesId: event.seriesId !== undefined && stored.has(event.seriesId) ? event.seriesId : undefined,
});

const isMain = (appointment: Appointment): boolean => appointment.recurrenceLocalMs === null;

/** Lists what a user can do with a message that would change something. */
function listActions(method: string, { event, current, next }: ItipOutcome, hasConflicts: boolean): string[] {
  if (method === 'CANCEL') return ['delete'];
  if (method === 'REPLY') return ['update'];
  if (method === 'COUNTER') return ['update', 'declinecounter'];
  if (method === 'REFRESH') return ['refresh'];
  const accept = hasConflicts ? 'accept_and_ignore_conflicts' : 'accept';
  const isKnown = current !== undefined;
  const isMoved = current && next && isRescheduled(current, next);
  const mayTakeOver = (isKnown && !isMoved) || event.recurrenceId !== undefined;
  return [accept, ...ANSWERS, ...(mayTakeOver ? ['update'] : [])];
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const RECURRENCE = ['rule', 'rdates', 'exdates'] as const;

/** Sentences on what is different. */
function describeDifferences(
  before: Appointment,
  after: Appointment,
  {
    translate,
    isHtml,
    period,
  }: {
    readonly translate: Translate;
    readonly isHtml: boolean;
    readonly period: (event: Appointment) => string;
  },
): string[] {
  const write = (text: string | null): string =>
    isHtml ? (text ?? '').replace(/[&<>"']/g, (sign) => ENTITIES[sign]!) : (text ?? '');
  const sentences: string[] = [];
  if (before.title !== after.title) sentences.push(translate('itip.diff.summary', write(after.title)));
  if (before.location !== after.location) sentences.push(translate('itip.diff.location', write(after.location)));
  if (before.note !== after.note) sentences.push(translate('itip.diff.description'));
  if (before.startMs !== after.startMs || before.endMs !== after.endMs)
    sentences.push(translate('itip.diff.time', period(after)));
  if (RECURRENCE.some((field) => String(before[field] ?? '') !== String(after[field] ?? '')))
    sentences.push(translate('itip.diff.rule'));
  return sentences;
}
