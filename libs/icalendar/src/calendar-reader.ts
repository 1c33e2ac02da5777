import { resolveTimeZone } from '@groupware/recurrence';
import { CalendarZones } from './calendar-zones';
import { boundaryOf, ComponentBuilder } from './component';
import type { ReadComponent } from './component';
import { parseContentLine } from './content-line';
import { timeZonesOf } from './component-reader';
import { readEvent } from './event-reader';
import { readTodo } from './todo-reader';
import { ItemFailure } from './item-failure';
import type {
  CalendarProperties,
  CalendarReadOptions,
  ImportedItem,
  ItemError,
  ItemErrorReason,
  ItemWarning,
} from './imported-item';
import { LineSplitter } from './line-splitter';
import type { LogicalLine } from './line-splitter';
import { DAY_MS, parseDuration } from './values';

const DEFAULTS = {
  kind: 'VEVENT' as 'VEVENT' | 'VTODO',
  startOptional: false,
  onCalendar: (): void => undefined,
  maxItems: 100_000,
  maxItemBytes: 4 * 1024 * 1024,
  maxItemLines: 20_000,
  maxItemValues: 20_000,
  maxLineBytes: 1024 * 1024,
  maxDepth: 8,
  maxPendingBytes: 4 * 1024 * 1024,
  maxTimeZones: 200,
};
const MAX_WARNINGS = 50;

/** Components that never lie inside one another (VTIMEZONE and the items), so a BEGIN also ends what was left open. */
const NEVER_NESTED: ReadonlySet<string> = new Set([
  'VCALENDAR',
  'VEVENT',
  'VTODO',
  'VJOURNAL',
  'VFREEBUSY',
  'VTIMEZONE',
]);

/**
 * Reads a file of iCalendar objects (RFC 5545) as it streams in; memory does not grow with the file. Every component of
 * a calendar other than VTIMEZONE gives exactly one item, in the order of the file except for those that wait for their
 * VTIMEZONE. Never throws for what the file contains; errors of the source are passed on.
 */
export async function* readCalendar(
  source: AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>,
  options: CalendarReadOptions,
): AsyncGenerator<ImportedItem, void, undefined> {
  const limits: Limits = { ...DEFAULTS, ...withoutUndefined(options) };
  const splitter = new LineSplitter(limits.maxLineBytes, options.charset);
  const file = new CalendarFile(limits);
  for await (const chunk of source) {
    for (const line of splitter.feed(chunk)) {
      yield* file.accept(line);
      if (file.stopped) return;
      const pause = options.pause();
      if (pause) await pause;
    }
  }
  for (const line of splitter.end()) yield* file.accept(line);
  yield* file.finish();
}

/**
 * Reads what a file says about its first calendar as a whole, up to its first component.
 * @returns undefined when the file begins with no calendar
 */
export async function readCalendarProperties(
  source: Iterable<Uint8Array>,
  options: Pick<CalendarReadOptions, 'charset' | 'pause'>,
): Promise<CalendarProperties | undefined> {
  const splitter = new LineSplitter(DEFAULTS.maxLineBytes, options.charset);
  const scope: Pick<CalendarScope, 'properties'> = { properties: {} };
  let isOpen = false;
  function* readLines() {
    for (const chunk of source) yield* splitter.feed(chunk);
    yield* splitter.end();
  }
  for (const line of readLines()) {
    const pause = options.pause();
    if (pause) await pause;
    const boundary = boundaryOf(line);
    if (isOpen && boundary) break;
    if (isOpen) readCalendarProperty(scope, line);
    else if (boundary?.begin && boundary.name === 'VCALENDAR') isOpen = true;
    else return undefined;
  }
  return isOpen ? scope.properties : undefined;
}

type Limits = Required<Omit<CalendarReadOptions, 'charset' | 'pause'>>;

interface OpenComponent {
  readonly name: string;
  readonly line: number;
  /** Builder of its content; undefined when it is not needed. */
  builder: ComponentBuilder | undefined;
  readonly warnings: ItemWarning[];
  /** Names of the components open inside, at most `maxDepth`. */
  readonly inner: string[];
  /** Components open inside beyond that. */
  deeper: number;
  bytes: number;
  lineCount: number;
  error?: ItemError;
}

interface PendingItem {
  readonly index: number;
  readonly open: OpenComponent;
  readonly component: ReadComponent;
  readonly missing: Set<string>;
}

const NOTHING: readonly ImportedItem[] = [];

/** One VCALENDAR, or what stands outside of any. */
class CalendarScope {
  readonly properties: { -readonly [K in keyof CalendarProperties]: CalendarProperties[K] } = {};
  readonly zones: CalendarZones;
  /** Events whose zone may still be defined further down. */
  pending: PendingItem[] = [];
  pendingBytes = 0;
  /** Set when too much was waiting: what is unknown stays unknown. */
  waitsNoMore = false;

  constructor(readonly limits: Limits) {
    this.zones = new CalendarZones(limits.defaultTimeZone, limits.maxTimeZones);
  }
}

/** Follows BEGIN and END line by line and turns every finished component into its item. */
class CalendarFile {
  stopped = false;
  private scope: CalendarScope | undefined;
  private open: OpenComponent | undefined;
  private nextIndex = 0;

  constructor(private readonly limits: Limits) {}

  accept(line: LogicalLine): readonly ImportedItem[] {
    const boundary = boundaryOf(line);
    if (boundary) return boundary.begin ? this.begin(boundary.name, line) : this.end(boundary.name, line);
    if (this.open) this.record(line);
    else if (this.scope) readCalendarProperty(this.scope, line);
    return NOTHING;
  }

  finish(): readonly ImportedItem[] {
    return [...this.closeBroken('the file ends before the component'), ...this.closeScope()];
  }

  private begin(name: string, line: LogicalLine): readonly ImportedItem[] {
    const { open } = this;
    if (open && !NEVER_NESTED.has(name)) {
      if (open.inner.length >= this.limits.maxDepth) {
        open.deeper++;
        fail(open, 'nested-too-deep', 'too many components inside one another', line);
      } else {
        open.inner.push(name);
        this.record(line);
      }
      return NOTHING;
    }
    const items: ImportedItem[] = [...this.closeBroken(`${name} begins before the component ends`)];
    if (name === 'VCALENDAR') {
      items.push(...this.closeScope());
      this.scope = new CalendarScope(this.limits);
      return items;
    }
    this.scope ??= new CalendarScope(this.limits);
    if (name !== 'VTIMEZONE' && this.nextIndex >= this.limits.maxItems) {
      const calendar = this.scope.properties;
      items.push(...this.closeScope(), {
        index: this.nextIndex++,
        kind: name,
        line: line.line,
        calendar,
        error: { reason: 'too-many-items', message: `only ${this.limits.maxItems} items are read`, line: line.line },
        warnings: [],
      });
      this.stopped = true;
      return items;
    }
    this.open = {
      name,
      line: line.line,
      builder: undefined,
      warnings: [],
      inner: [],
      deeper: 0,
      bytes: 0,
      lineCount: 0,
    };
    return items;
  }

  private end(name: string, line: LogicalLine): readonly ImportedItem[] {
    const { open } = this;
    if (name === 'VCALENDAR' && this.scope) this.limits.onCalendar();
    if (!open) return name === 'VCALENDAR' ? this.closeScope() : NOTHING;
    if (name === 'VCALENDAR')
      return [...this.closeBroken('the calendar ends before the component'), ...this.closeScope()];
    if (open.deeper > 0 && name !== open.name) {
      open.deeper--;
    } else if (open.inner.at(-1) === name && open.deeper === 0) {
      open.inner.pop();
      this.record(line);
    } else if (name === open.name) {
      if (open.inner.length > 0) fail(open, 'unclosed-component', `${open.inner.at(-1)} is not ended`, line);
      return this.close(open);
    } else {
      warn(open, { code: 'malformed-line', message: `END of ${name} without BEGIN`, line: line.line });
    }
    return NOTHING;
  }

  /** Keeps a line of the open component if it will be needed. */
  private record(line: LogicalLine): void {
    const open = this.open as OpenComponent;
    if (open.error || !(open.name === this.limits.kind || open.name === 'VTIMEZONE')) return;
    if (line.tooLong) {
      if (/^(ATTACH|X-)/i.test(line.text)) {
        warn(open, { code: 'long-line-dropped', message: 'an attachment or X- property is too long', line: line.line });
      } else {
        fail(open, 'line-too-long', `a line has more than ${this.limits.maxLineBytes} octets`, line);
      }
      return;
    }
    open.bytes += line.bytes;
    open.lineCount++;
    if (open.bytes > this.limits.maxItemBytes || open.lineCount > this.limits.maxItemLines) {
      fail(open, 'item-too-large', 'the component has too many octets or lines', line);
    } else {
      open.builder ??= builderOf(open);
      open.builder.add(line);
      if (open.builder.valueCount > this.limits.maxItemValues)
        fail(open, 'item-too-large', 'the component has too many values', line);
    }
  }

  private closeBroken(message: string): readonly ImportedItem[] {
    if (!this.open) return NOTHING;
    fail(this.open, 'unclosed-component', message);
    return this.close(this.open);
  }

  private close(open: OpenComponent): readonly ImportedItem[] {
    this.open = undefined;
    const scope = this.scope as CalendarScope;
    if (open.name === 'VTIMEZONE') return open.error ? NOTHING : this.define(scope, open);
    const index = this.nextIndex++;
    if (open.name !== this.limits.kind) fail(open, 'unsupported-component', `${open.name} cannot be imported`);
    if (open.error) return [toItem(index, open, scope)];

    const component = (open.builder ?? builderOf(open)).component;
    open.builder = undefined;
    const missing = scope.waitsNoMore ? [] : timeZonesOf(component).filter((tzid) => !scope.zones.isKnown(tzid));
    if (missing.length === 0) return [toItem(index, open, scope, component)];
    scope.pending.push({ index, open, component, missing: new Set(missing.map((tzid) => scope.zones.key(tzid))) });
    scope.pendingBytes += open.bytes;
    if (scope.pendingBytes <= this.limits.maxPendingBytes) return NOTHING;
    scope.waitsNoMore = true;
    return release(scope, () => true);
  }

  private define(scope: CalendarScope, open: OpenComponent): readonly ImportedItem[] {
    const key = scope.zones.define((open.builder ?? builderOf(open)).component);
    if (key === undefined || scope.pending.length === 0) return NOTHING;
    return release(scope, ({ missing }) => missing.delete(key) && missing.size === 0);
  }

  private closeScope(): readonly ImportedItem[] {
    const { scope } = this;
    this.scope = undefined;
    return scope ? release(scope, () => true) : NOTHING;
  }
}

/** Reads the waiting events that `ready` picks. */
function release(scope: CalendarScope, ready: (item: PendingItem) => boolean): readonly ImportedItem[] {
  const items: ImportedItem[] = [];
  const waiting: PendingItem[] = [];
  for (const pending of scope.pending) {
    if (ready(pending)) {
      items.push(toItem(pending.index, pending.open, scope, pending.component));
      scope.pendingBytes -= pending.open.bytes;
    } else {
      waiting.push(pending);
    }
  }
  scope.pending = waiting;
  return items;
}

function toItem(index: number, open: OpenComponent, scope: CalendarScope, component?: ReadComponent): ImportedItem {
  const { name, line, warnings } = open;
  const item = { index, kind: name, line, calendar: scope.properties, warnings };
  if (!component) return { ...item, error: open.error };
  try {
    const context = {
      zones: scope.zones,
      floatingTimeZone: scope.properties.timeZone ?? scope.zones.defaultTimeZone,
      startOptional: scope.limits.startOptional,
      warn: (warning: ItemWarning) => warn(open, warning),
    };
    return name === 'VTODO'
      ? { ...item, todo: readTodo(component, context) }
      : { ...item, event: readEvent(component, context) };
  } catch (error) {
    if (!(error instanceof ItemFailure)) throw error;
    return { ...item, error: { reason: error.reason, message: error.message, line: error.line ?? line } };
  }
}

const CALENDAR_PROPERTY =
  /^\s*(METHOD|PRODID|NAME|DESCRIPTION|COLOR|REFRESH-INTERVAL|X-WR-(?:CALNAME|CALDESC|TIMEZONE)|X-APPLE-CALENDAR-COLOR)\s*[;:]/i;

function readCalendarProperty({ properties }: Pick<CalendarScope, 'properties'>, line: LogicalLine): void {
  if (line.tooLong || !CALENDAR_PROPERTY.test(line.text)) return;
  const property = parseContentLine(line.text);
  const value = property?.[3]?.trim().slice(0, 1_000);
  if (!property || !value) return;
  if (property[0] === 'method') properties.method ??= value.toUpperCase();
  else if (property[0] === 'prodid') properties.prodId ??= value;
  else if (property[0] === 'x-wr-timezone') properties.timeZone ??= resolveTimeZone(value);
  else if (property[0] === 'description' || property[0] === 'x-wr-caldesc') properties.description ??= value;
  else if (property[0] === 'color' || property[0] === 'x-apple-calendar-color') properties.color ??= value;
  else if (property[0] === 'refresh-interval') properties.refreshMs ??= parseRefreshMs(value);
  else properties.name ??= value;
}

function parseRefreshMs(value: string): number | undefined {
  const duration = parseDuration(value);
  const ms = duration ? duration.days * DAY_MS + duration.ms : 0;
  return ms > 0 ? ms : undefined;
}

/** The first failure counts; what was collected is not needed any more. */
function fail(open: OpenComponent, reason: ItemErrorReason, message: string, at?: LogicalLine): void {
  open.error ??= { reason, message, line: at?.line ?? open.line };
  open.builder = undefined;
}

/** Reads a component line by line. */
const builderOf = (open: OpenComponent): ComponentBuilder =>
  new ComponentBuilder(open.name, (warning) => warn(open, warning));

function warn({ warnings }: OpenComponent, warning: ItemWarning): void {
  if (warnings.length < MAX_WARNINGS) warnings.push(warning);
}

function withoutUndefined(options: CalendarReadOptions): CalendarReadOptions {
  return Object.fromEntries(
    Object.entries(options).filter(([, value]) => value !== undefined),
  ) as unknown as CalendarReadOptions;
}
