/** Bounds of JSON from outside. */
export interface JsonLimits {
  /** Deepest nesting. */
  readonly depth: number;
  /** Most values, objects and arrays among them; names do not count. */
  readonly values: number;
  /** Most members of one object. */
  readonly members: number;
}

/** How JSON is parsed in slices. */
export interface SliceOptions {
  readonly limits: JsonLimits;
  /** Called after each slice: a promise to wait for when others should have their turn. */
  readonly pause: () => Promise<void> | undefined;
  /** About so many bytes are parsed in one go. */
  readonly sliceBytes?: number;
}

/** JSON that goes beyond its limits. */
export class JsonLimitExceeded extends Error {}

/** Parsing so many bytes takes 5 ms at most, whatever is in them. */
export const SLICE_BYTES = 64 * 1024;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * Parses JSON (UTF-8) as `JSON.parse` does, but not in one go: elements of large arrays and members of large objects are parsed
 * in groups.
 * @throws SyntaxError, JsonLimitExceeded
 */
export async function parseJsonInSlices(bytes: Buffer, options: SliceOptions): Promise<unknown> {
  return new SlicedJson(bytes, options).parse();
}

/** An array or object that was not closed yet. */
class Container {
  /** Parsed part of it; undefined while it is parsed as a part of its parent. */
  value: unknown[] | Record<string, unknown> | undefined;
  /** Start of the children that were not parsed yet. */
  runStart: number;
  /** Start of the child being read. */
  childStart: number;
  /** The colon behind the name of that child. */
  colon = -1;
  members = 1;
  /** The last child was parsed by itself: it is no part of what was not parsed yet. */
  isAfterChild = false;

  constructor(
    readonly isArray: boolean,
    readonly start: number,
  ) {
    this.runStart = this.childStart = start + 1;
  }
}

class SlicedJson {
  private readonly open: Container[] = [];
  private values = 1;
  private root: Container | undefined;

  constructor(
    private readonly bytes: Buffer,
    private readonly options: SliceOptions,
  ) {}

  async parse(): Promise<unknown> {
    const { bytes } = this;
    const { pause, sliceBytes = SLICE_BYTES } = this.options;
    let pausedAt = 0;
    let end = 0;
    for (let index = 0; index < bytes.length; index++) {
      switch (bytes[index]) {
        case QUOTE:
          index = this.endOfText(index);
          break;
        case OPEN_ARRAY:
        case OPEN_OBJECT:
          this.begin(index);
          break;
        case CLOSE_ARRAY:
        case CLOSE_OBJECT:
          this.end(index);
          end = index + 1;
          break;
        case COLON: {
          const container = this.open.at(-1);
          if (container) container.colon = index;
          break;
        }
        case COMMA:
          this.next(index, sliceBytes);
          break;
      }
      if (index - pausedAt < sliceBytes) continue;
      pausedAt = index;
      const turn = pause();
      if (turn) await turn;
    }
    if (!this.root?.value) return JSON.parse(bytes.toString('utf8'));
    if (this.open.length > 0) throw new SyntaxError('unexpected end');
    this.requireBlank(0, this.root.start);
    this.requireBlank(end, bytes.length);
    return this.root.value;
  }

  private endOfText(start: number): number {
    const { bytes } = this;
    let index = start + 1;
    while (index < bytes.length && bytes[index] !== QUOTE) index += bytes[index] === BACKSLASH ? 2 : 1;
    return index;
  }

  private begin(index: number): void {
    const { depth } = this.options.limits;
    const parent = this.open.at(-1);
    if (parent?.isAfterChild || (!parent && this.root)) throw new SyntaxError(`unexpected value at ${index}`);
    if (this.open.length >= depth) throw new JsonLimitExceeded(`nested deeper than ${depth} levels`);
    this.count();
    const container = new Container(this.bytes[index] === OPEN_ARRAY, index);
    this.root ??= container;
    this.open.push(container);
  }

  private count(): void {
    const { values } = this.options.limits;
    if (++this.values > values) throw new JsonLimitExceeded(`more than ${values} values`);
  }

  private next(index: number, sliceBytes: number): void {
    const container = this.open.at(-1);
    if (!container) throw new SyntaxError(`unexpected comma at ${index}`);
    this.count();
    const { members } = this.options.limits;
    if (!container.isArray && ++container.members > members)
      throw new JsonLimitExceeded(`more than ${members} members of an object`);
    if (container.isAfterChild || index - container.runStart > sliceBytes) this.take(container, index);
    container.childStart = index + 1;
    container.colon = -1;
  }

  private end(index: number): void {
    const container = this.open.pop();
    if (container?.isArray !== (this.bytes[index] === CLOSE_ARRAY)) throw new SyntaxError(`unexpected end at ${index}`);
    if (!container?.value) return;
    this.take(container, index);
    const parent = this.open.at(-1);
    if (!parent) return;
    parent.isAfterChild = true;
    parent.runStart = index + 1;
  }

  /** Parses the children of a container that were read since the last time, up to a comma or its end. */
  private take(container: Container, end: number): void {
    if (container.isAfterChild) this.requireBlank(container.runStart, end);
    else {
      this.detach(container);
      if (this.add(container, end) === 0) throw new SyntaxError(`unexpected comma before ${end}`);
    }
    container.isAfterChild = false;
    container.runStart = end + 1;
  }

  /** Makes values of a container and all around it, with what stands in those before it. */
  private detach(innermost: Container): void {
    if (innermost.value) return;
    let parent: Container | undefined;
    for (const container of this.open) {
      if (!container.value) {
        container.value = container.isArray ? [] : {};
        if (parent) this.attach(container, parent);
      }
      parent = container;
    }
  }

  private attach(child: Container, parent: Container): void {
    const { childStart, runStart, colon } = parent;
    if (childStart > runStart && this.add(parent, childStart - 1) === 0) throw new SyntaxError('unexpected comma');
    if (parent.isArray) {
      this.requireBlank(childStart, child.start);
      (parent.value as unknown[]).push(child.value);
    } else {
      this.requireBlank(colon + 1, child.start);
      const name: unknown = colon < 0 ? undefined : JSON.parse(this.bytes.toString('utf8', childStart, colon));
      if (typeof name !== 'string') throw new SyntaxError(`no name before ${child.start}`);
      setOwn(parent.value as Record<string, unknown>, name, child.value);
    }
  }

  /** Parses children and adds them to their container; answers how many there were. */
  private add({ value, isArray, runStart }: Container, end: number): number {
    const text = this.bytes.toString('utf8', runStart, end);
    if (isArray) {
      const elements = JSON.parse(`[${text}]`) as unknown[];
      for (const element of elements) (value as unknown[]).push(element);
      return elements.length;
    }
    const members = Object.entries(JSON.parse(`{${text}}`) as object);
    for (const [name, member] of members) setOwn(value as Record<string, unknown>, name, member);
    return members.length;
  }

  private requireBlank(start: number, end: number): void {
    if (!/^[ \t\n\r]*$/.test(this.bytes.toString('utf8', start, end)))
      throw new SyntaxError(`unexpected text at ${start}`);
  }
}

/** An assignment to `__proto__` would change the prototype instead. */
function setOwn(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') object[name] = value;
  else Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
}
