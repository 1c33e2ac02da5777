import type { RawProperty } from './calendar-event';
import { parseContentLine } from './content-line';
import type { ItemWarning } from './imported-item';
import type { LogicalLine } from './line-splitter';

/** A property and where it stands in the file. */
export interface ReadProperty {
  readonly name: string;
  readonly raw: RawProperty;
  /** The first value; empty when there is none. */
  readonly value: string;
  readonly line: number;
}

/** A component with its properties. */
export interface ReadComponent {
  /** Upper case. */
  readonly name: string;
  readonly properties: readonly ReadProperty[];
  readonly components: readonly ReadComponent[];
}

/** `BEGIN:NAME` or `END:NAME`; the name in upper case, at most 64 characters of it. */
export function boundaryOf(line: LogicalLine): { readonly begin: boolean; readonly name: string } | undefined {
  const match = /^\s*(BEGIN|END)\s*:(.*)$/is.exec(line.text);
  return match ? { begin: match[1]!.length === 5, name: match[2]!.trim().slice(0, 64).toUpperCase() } : undefined;
}

/**
 * Builds a component of the lines between its BEGIN and END, each read when it comes: a large component costs no more at its
 * end than a small one. The components in it must be closed. Lines that are no content lines are left out and reported.
 */
export class ComponentBuilder {
  readonly component: ReadComponent;
  /** Values of the properties so far. */
  valueCount = 0;
  private readonly open: ReadComponent[];

  constructor(
    name: string,
    private readonly warn: (warning: ItemWarning) => void,
  ) {
    this.component = { name, properties: [], components: [] };
    this.open = [this.component];
  }

  /** Adds the next line. */
  add(line: LogicalLine): void {
    const { open } = this;
    const boundary = boundaryOf(line);
    const current = open[open.length - 1]!;
    if (boundary?.begin) {
      const inner: ReadComponent = { name: boundary.name, properties: [], components: [] };
      (current.components as ReadComponent[]).push(inner);
      open.push(inner);
    } else if (boundary) {
      if (open.length > 1) open.pop();
    } else {
      const raw = parseContentLine(line.text);
      if (raw) {
        const property: ReadProperty = { name: raw[0], raw, value: raw[3] ?? '', line: line.line };
        (current.properties as ReadProperty[]).push(property);
        this.valueCount += raw.length - 3;
      } else {
        this.warn({ code: 'malformed-line', message: 'not a content line', line: line.line });
      }
      if (line.foreignEncoding) {
        this.warn({ code: 'unknown-encoding', message: 'not valid UTF-8, read as windows-1252', line: line.line });
      }
    }
  }
}

/** Reads the lines between BEGIN and END of a component at once. */
export function readComponent(
  name: string,
  lines: readonly LogicalLine[],
  warn: (warning: ItemWarning) => void,
): ReadComponent {
  const builder = new ComponentBuilder(name, warn);
  for (const line of lines) builder.add(line);
  return builder.component;
}
