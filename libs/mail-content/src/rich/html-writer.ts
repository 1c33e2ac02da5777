import { escapeHtml } from '../text/text-to-html';

/** Elements within each other that are written; those within them are left out, their text is not. */
const MAX_DEPTH = 50;

/** An element that was started. */
interface OpenElement {
  readonly name: string;
  readonly end: string;
}

/** Writes HTML whose elements are well nested, whatever comes. */
export class HtmlWriter {
  private readonly open: OpenElement[] = [];
  private readonly pieces: string[] = [];
  /** Elements that were left out and have not ended. */
  private omitted = 0;

  /** @param name by which it ends */
  startElement(name: string, start: string, end: string): void {
    if (this.open.length >= MAX_DEPTH) {
      this.omitted++;
      return;
    }
    this.pieces.push(start);
    this.open.push({ name, end });
  }

  /** Ends the last element of that name, and with it those within; nothing when there is none. */
  endElement(name: string): void {
    if (this.omitted > 0) {
      this.omitted--;
      return;
    }
    const at = this.open.findLastIndex((element) => element.name === name);
    if (at >= 0) this.endFrom(at);
  }

  /** Text; more than one space is seen as such. */
  write(text: string): void {
    this.pieces.push(
      escapeHtml(text)
        .replaceAll('\t', '    ')
        .replace(/ (?= )/g, '&nbsp;'),
    );
  }

  /** Ends a line. */
  breakLine(): void {
    this.pieces.push('<br>\n');
  }

  /** Ends all elements. */
  endAll(): void {
    this.endFrom(0);
  }

  /** All that was written, with its elements ended. */
  toHtml(): string {
    this.endAll();
    // Half of a pair is no character.
    return this.pieces.join('').replace(/\p{Surrogate}/gu, '\ufffd');
  }

  private endFrom(at: number): void {
    for (const element of this.open.splice(at).reverse()) this.pieces.push(element.end);
  }
}
